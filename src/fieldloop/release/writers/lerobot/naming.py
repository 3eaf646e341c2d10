"""What a stream is called in a LeRobot dataset: its own rules for names, and no two streams under one."""

from collections.abc import Sequence

from fieldloop.model.stream import StreamKind
from fieldloop.release.writers.features import Feature, Features
from fieldloop.release.writers.names import find_free_name

STATE, ACTION, IMAGES = "observation.state", "action", "observation.images."
KEPT = ("observation.", "action.", "next.")
"""Prefixes of streams that come from a LeRobot dataset; such a name is kept."""

LONGEST = 200
"""Bytes of a name: a video's is the name of a folder too, and few file systems take more than 255."""


def name_features(features: Features) -> dict[str, str]:
    """Return stream name → feature key. LeRobot allows no slash; names that become one get a number each.

    The joints are `observation.state` and the commands `action`, which is where policies look for them: by name, or
    where there is just one stream of that kind.
    """
    named = {
        _find_only_of_kind(features.signals, StreamKind.JOINT_POSITION, "joints"): STATE,
        _find_only_of_kind(features.signals, StreamKind.ACTION, "action"): ACTION,
    }
    taken: set[str] = set()
    return {f.name: find_free_name(named.get(f.name) or _make_feature_key(f), taken) for f in features.list_all}


def _find_only_of_kind(signals: Sequence[Feature], kind: StreamKind, usual_name: str) -> str:
    of_kind = [signal.name for signal in signals if signal.kind is kind]
    return usual_name if usual_name in of_kind else of_kind[0] if len(of_kind) == 1 else ""


def _make_feature_key(feature: Feature) -> str:
    plain = _shorten_text(feature.name.replace("/", ".").strip(".") or "unnamed")
    if feature.is_camera:
        return IMAGES + plain.removeprefix(IMAGES).removeprefix("camera.")
    if plain.startswith(KEPT):
        return plain
    if feature.kind is StreamKind.ACTION:
        return f"action.{plain}"
    return f"observation.{plain}"


def _shorten_text(text: str) -> str:
    return text.encode()[:LONGEST].decode(errors="ignore")
