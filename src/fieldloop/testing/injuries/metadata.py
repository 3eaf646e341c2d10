"""Injuries that the checks of metadata must notice."""

from fieldloop.testing.injuries.injury import Injury, change_episode

INJURIES: dict[str, Injury] = {
    "metadata.missing_fields": Injury(lambda case: change_episode(case, site="", session="")),
}
