"""Draws how a trial is set up: the workspace from above with the item, the light, foreign objects and the edge case."""

from collections.abc import Iterator, Mapping, Sequence

from fieldloop.say.html import Markup
from fieldloop.say.numbers import format_number, percent

SIZE, MIDDLE, HALF = 150, 75, 52
"""The drawing in pixels: its side, its middle, and half the side of the workspace."""
ITEM = (20, 12)
LIGHTS = {
    "bright": "#fffdf2", "dim": "#d5d8de", "warm": "#ffe9c7", "cool": "#dcecfb", "side": "#f1efe6", "glare": "#fffbe0",
}  # fmt: skip
"""How a level of lighting is tinted on the sheet; others stay white and are named beside the drawing."""
USUAL_SHARE = 0.85
"""How far from the middle an item is placed where the trial does not fix its place."""
BITS = 15
STEP, SHIFT = 1_103_515_245, 12_345
"""A linear congruential generator: the same seed gives the same places on every sheet, without a library."""


def draw_scene(parameters: Sequence[tuple[str, float]], lighting: str, seed: int) -> Markup:
    """Draw a trial's setup from above, the robot below; both arms of a scene have the same drawing."""
    stated = dict(parameters)
    chance = _draw_numbers(seed)
    u, v = next(chance), next(chance)
    place = (stated.get("u", USUAL_SHARE * u), stated.get("v", USUAL_SHARE * v))
    turned = stated.get("turn", USUAL_SHARE * next(chance))
    parts = [
        (
            f'<rect x="0.5" y="0.5" width="{SIZE - 1}" height="{SIZE - 1}" fill="{LIGHTS.get(lighting, "#ffffff")}" '
            'stroke="var(--line-2)"/>'
        ),
        (
            f'<rect x="{MIDDLE - HALF}" y="{MIDDLE - HALF}" width="{2 * HALF}" height="{2 * HALF}" fill="none" '
            'stroke="var(--ink-3)" stroke-dasharray="4 3"/>'
        ),
        (
            f'<path d="M{MIDDLE - HALF} {MIDDLE}h{2 * HALF}M{MIDDLE} {MIDDLE - HALF}v{2 * HALF}" '
            'stroke="var(--line-2)" stroke-width="0.6"/>'
        ),
        *_draw_lamp(lighting),
        *(_draw_object(next(chance), next(chance), place) for _ in range(int(stated.get("distractors", 0)))),
        _draw_item(place, turned),
        _draw_robot(stated),
        *_draw_covered_camera(stated),
    ]
    words = describe_setup(parameters, lighting)
    return Markup(
        f'<svg viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}" role="img" '
        f'aria-label="{Markup.escape("; ".join(words))}">{"".join(parts)}</svg>'
    )


def describe_setup(parameters: Sequence[tuple[str, float]], lighting: str) -> list[str]:
    """Describe a setup in words, one line for each thing to do.

    >>> describe_setup([("u", 0.95), ("v", -0.5)], "warm")
    ['Light: warm', 'Place the item at the cross: 95 % right, 50 % towards the robot']
    """
    stated = dict(parameters)
    lines = [f"Light: {lighting.replace('_', ' ')}"] if lighting else []
    if "u" in stated and "v" in stated:
        lines.append(f"Place the item at the cross: {_write_place(stated['u'], stated['v'])}")
    if "turn" in stated:
        side = "left" if stated["turn"] > 0 else "right"
        lines.append(f"Turn the item {percent(abs(stated['turn']), 0)} of the usual turn, to the {side}")
    if stated.get("distractors"):
        lines.append(f"Add {int(stated['distractors'])} foreign objects")
    if "gripper_hidden" in stated:
        lines.append(f"Hide {percent(stated['gripper_hidden'], 0)} of the gripper from the camera")
    if "joint_left_rad" in stated:
        lines.append(f"Start with the last joint {format_number(stated['joint_left_rad'], 2)} rad from its limit")
    if "camera_hidden" in stated:
        lines.append(f"Cover {percent(stated['camera_hidden'], 0)} of the camera's picture, along one side")
    return lines


def _write_place(u: float, v: float) -> str:
    across = f"{percent(abs(u), 0)} {'right' if u >= 0 else 'left'}"
    along = f"{percent(abs(v), 0)} {'away from' if v >= 0 else 'towards'} the robot"
    return f"{across}, {along}"


def _draw_numbers(seed: int) -> Iterator[float]:
    """Yield numbers from -1 to 1 that follow from a seed."""
    state = seed
    while True:
        state = (STEP * state + SHIFT) % 2**31
        yield (state >> (31 - BITS)) / 2 ** (BITS - 1) - 1


def _place(u: float, v: float) -> tuple[float, float]:
    return MIDDLE + u * HALF, MIDDLE - v * HALF


def _draw_item(place: tuple[float, float], turn: float) -> str:
    x, y = _place(*place)
    wide, high = ITEM
    return (
        f'<g transform="translate({x:.1f} {y:.1f})"><g transform="rotate({-34 * turn:.0f})">'
        f'<rect x="{-wide / 2}" y="{-high / 2}" width="{wide}" height="{high}" fill="var(--c1)" fill-opacity=".35" '
        'stroke="var(--c1)"/></g>'
        '<path d="M-5 0h10M0 -5v10" stroke="var(--ink)" stroke-width="1.2"/></g>'
    )


def _draw_object(u: float, v: float, item: tuple[float, float]) -> str:
    """Draw a foreign object beside the item, never on it."""
    if abs(u - item[0]) < 0.3 and abs(v - item[1]) < 0.3:  # noqa: PLR2004 - the size of the item
        u = item[0] + (0.4 if item[0] < 0 else -0.4)
    x, y = _place(u, v)
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="none" stroke="var(--c2)" stroke-width="1.6"/>'


def _draw_lamp(lighting: str) -> Iterator[str]:
    if lighting == "side":
        yield '<path d="M3 60 14 67v16L3 90Z" fill="var(--c5)"/>'
    if lighting == "glare":
        yield '<circle cx="122" cy="28" r="13" fill="#ffffff" stroke="var(--c5)" stroke-dasharray="2 2"/>'


def _draw_robot(stated: Mapping[str, float]) -> str:
    """Draw the robot's base and gripper; a hidden gripper has a flap over it, a joint near its limit an arc."""
    drawn = [
        f'<path d="M{MIDDLE - 9} {SIZE - 2}h18l-4 -10h-10Z" fill="var(--ink-3)"/>',
        f'<path d="M{MIDDLE - 5} {SIZE - 15}v-5m10 0v5" stroke="var(--ink-2)" stroke-width="2.4"/>',
    ]
    if "gripper_hidden" in stated:
        wide = 18 * stated["gripper_hidden"]
        drawn.append(
            f'<rect x="{MIDDLE}" y="{SIZE - 23}" width="{wide:.1f}" height="10" fill="#caa56a" stroke="var(--c2)"/>'
        )
    if "joint_left_rad" in stated:
        drawn.append(
            f'<path d="M{MIDDLE + 22} {SIZE - 8}a10 10 0 1 1 14 0" fill="none" stroke="var(--ink-3)"/>'
            f'<path d="M{MIDDLE + 29} {SIZE - 15}l7.5 6" stroke="var(--bad)" stroke-width="2"/>'
        )
    return "".join(drawn)


def _draw_covered_camera(stated: Mapping[str, float]) -> Iterator[str]:
    if "camera_hidden" in stated:
        wide = 30 * stated["camera_hidden"]
        yield (
            '<rect x="6" y="6" width="30" height="22" fill="var(--surface)" stroke="var(--ink-3)"/>'
            f'<rect x="6" y="6" width="{wide:.1f}" height="22" fill="var(--ink)"/>'
        )
