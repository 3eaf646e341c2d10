"""The map of a preset as an engineer would write it: TOML for the sites, CSV for the catalogue."""

import numpy as np

from fieldloop.simulate.picking.catalogue import PACKAGING
from fieldloop.simulate.picking.drawing import LUX
from fieldloop.simulate.picking.sites import PLACES
from fieldloop.simulate.picking.strata import LEVELS
from fieldloop.simulate.picking.world import World

PICKS_PER_WEEK = 40_000.0
SOFT = ("polybag", "foil")
HEAD = """\
[deployment]
id              = "picking-{name}"
task            = "pick"
target_cycle_s  = 4.0
label_standard  = "grasp moment: the jaws begin to close"
synchronisation = "PTP for controllers, hardware trigger for cameras"
"""


def write_deployment_toml(world: World, week: float = 0.0) -> str:
    """Return the map as TOML: deployed sites with their shares of bins, lighting and packaging."""
    shape = tuple(len(levels) for levels in LEVELS.values())
    shares = world.production(week).reshape(shape)
    parts = [HEAD.format(name=world.preset.name)]
    for number, name in enumerate(LEVELS["site"]):
        here = shares[number]
        if here.sum() > 0:
            parts.append(_write_site_toml(name, number, here))
    bins = shares.sum(axis=(0, 1, 3)) * PICKS_PER_WEEK
    for name, per_week in zip(LEVELS["bin"], bins.tolist(), strict=True):
        if name in ("jammed", "occluded", "buried") and per_week > 0:
            parts.append(f'[[edge_case]]\nname     = "{name} bin"\nper_week = {per_week:.0f}\n')
    return "\n".join(parts)


def write_catalogue_csv(world: World) -> str:
    """Return the catalogue as CSV."""
    lines = ["sku,picks_per_week,mass_kg,length_m,width_m,height_m,packaging,deformable"]
    for row in range(len(world.catalogue)):
        kind = PACKAGING[world.catalogue.packaging[row]]
        size = (2 * world.catalogue.long[row], 2 * world.catalogue.short[row], world.catalogue.height[row])
        lines.append(
            f"{world.catalogue.name_article(row)},{world.catalogue.velocity[row] * PICKS_PER_WEEK:.3f},"
            f"{world.catalogue.mass[row]:.3f},{size[0]:.4f},{size[1]:.4f},{size[2]:.4f},{kind},"
            f"{'true' if kind in SOFT else 'false'}"
        )
    return "\n".join(lines) + "\n"


def _write_site_toml(name: str, number: int, shares: np.typing.NDArray[np.float64]) -> str:
    place = PLACES[number]
    mixes = (
        ("lighting", "lighting", shares.sum(axis=(0, 1))),
        ("bins", "bin", shares.sum(axis=(0, 2))),
        ("factors.packaging", "packaging", shares.sum(axis=(1, 2))),
    )
    lines = [
        "[[site]]",
        f'id            = "{name}"',
        f"share         = {float(shares.sum())!r}",
        'camera_mounts = ["wrist"]',
        'people_bands  = { hand_size = "155-205 mm", speed = "0.85-1.15 of target" }',
        *(f"{key} = {{ {_write_level_shares(LEVELS[factor], mix / mix.sum())} }}" for key, factor, mix in mixes),
        "",
        "[[site.zone]]",
        'name             = "picking aisle"',
        'floor            = "sealed concrete"',
        f"temperature_c    = [{place.temperature_c[0]:.1f}, {place.temperature_c[1]:.1f}]",
        f"humidity_percent = [{100 * place.humidity[0]:.0f}, {100 * place.humidity[1]:.0f}]",
        f"lux.day          = [{LUX[0][0]:.0f}, {LUX[2][1]:.0f}]",
        f"lux.night        = [{LUX[1][0]:.0f}, {LUX[0][1]:.0f}]",
        "",
    ]
    return "\n".join(lines)


def _write_level_shares(names: tuple[str, ...], shares: np.typing.NDArray[np.float64]) -> str:
    return ", ".join(f"{name} = {share!r}" for name, share in zip(names, shares.tolist(), strict=True) if share > 0)
