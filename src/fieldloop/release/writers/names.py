"""Names that a format allows, and no two streams under one."""

from collections.abc import Sequence


def find_free_name(wanted_name: str, taken_names: set[str], endings: Sequence[str] = ("",)) -> str:
    """Return the name, with a number behind it where another has it, and note it as taken with each of the endings.

    Names that differ by capitals alone are one: not every file system tells them apart.

    >>> taken = set()
    >>> find_free_name("a_b", taken), find_free_name("a_b", taken), find_free_name("A_B", taken)
    ('a_b', 'a_b_2', 'A_B_3')
    """
    wanted_name = wanted_name.replace("\0", "")
    number, name = 1, wanted_name
    while taken_names & {(name + ending).casefold() for ending in endings}:
        number += 1
        name = f"{wanted_name}_{number}"
    taken_names |= {(name + ending).casefold() for ending in endings}
    return name
