"""Injuries that the checks of metadata must notice."""

from fieldloop.testing.injuries.injury import Injury, change_episode, change_stream

INJURIES: dict[str, Injury] = {
    "metadata.missing_fields": Injury(lambda case: change_episode(case, site="", session="")),
    "metadata.conditions": Injury(lambda case: change_episode(case, facts=(("lux", "600"),))),
    "metadata.serials": Injury(lambda case: change_stream(case, "camera/wrist", serial="")),
    "metadata.units": Injury(lambda case: change_stream(case, "imu", unit="", notes={"unit": "not stated"})),
}
