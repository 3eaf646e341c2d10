"""Which split an episode is written into."""

from collections.abc import Mapping

from fieldloop.model.episode import Episode
from fieldloop.model.episode_text import escape_non_utf8

TRAIN = "train"


def choose_split(episode: Episode, splits: Mapping[str, str] | None = None) -> str:
    """Return the split that is asked for by the episode's id, else its own, else `train`."""
    return (splits or {}).get(episode.id) or escape_non_utf8(episode.get_fact("split") or TRAIN)
