"""Scenarios of a gate in words, for people who have never seen their codes."""

from collections.abc import Iterable

from fieldloop.say.numbers import join_names

EDGES = {
    "edge:pose": "edge case: pose outside nominal",
    "edge:gripper": "edge case: gripper partly hidden",
    "edge:joint": "edge case: joint near its limit",
    "edge:camera": "edge case: camera partly covered",
}
KINDS = {"lighting": "novel light", "position": "novel position", "edge": "edge case", "incident": "kept failure"}
PLAIN = {
    "base": "nominal conditions",
    "distractors": "foreign objects",
    "consecutive": "consecutive trials",
    "consecutive pattern": "pattern of the consecutive trials",
}
SIMULATED = "simulated floor"
"""Who judges trials that no robot made."""


def describe_scenario(name: str) -> str:
    """Name a scenario or a requirement in words.

    >>> describe_scenario("lighting:cool"), describe_scenario("position:untried 3"), describe_scenario("edge:pose")
    ('novel light cool', 'novel position untried 3', 'edge case: pose outside nominal')
    >>> describe_scenario("latency")
    'latency'
    """
    if name in EDGES:
        return EDGES[name]
    kind, parted, rest = name.partition(":")
    return f"{KINDS[kind]} {rest}" if parted and kind in KINDS else PLAIN.get(name, name)


def join_scenarios(names: Iterable[str]) -> str:
    """Name requirements in one sentence, those of a kind together.

    >>> join_scenarios(["lighting:cool", "lighting:warm", "position:1", "latency"])
    'novel light (cool, warm), novel position (1) and latency'
    """
    grouped: dict[str, list[str]] = {}
    for name in names:
        kind, parted, rest = name.partition(":")
        word = KINDS[kind] if parted and kind in KINDS else PLAIN.get(name, name)
        grouped.setdefault(word, []).extend([EDGES[name].partition(": ")[2] if name in EDGES else rest] * bool(parted))
    return join_names([f"{word} ({', '.join(listed)})" if listed else word for word, listed in grouped.items()])
