"""Look at an episode of any log or dataset, without a workspace."""

from pathlib import Path

from fieldloop.loop.data.mapping import find_mapping_in_force
from fieldloop.loop.look.open_set import PathEpisodes
from fieldloop.loop.look.view import EpisodeView


def look_at_log(path: Path, *, episode: str = "0", mapping: Path | None = None) -> EpisodeView:
    """Open a log or dataset in the explorer: all cameras with signals and findings on one timeline.

    Arguments:
        path: a log file, a dataset folder, or a folder of logs
        episode: number or name of the episode to begin with
        mapping: the mapping file that translates your names, units and frames
    """
    opened = open_path(path, mapping)
    return opened.open_episode(opened.find_key(episode)).make_view()


def open_path(path: Path, mapping: Path | None = None) -> PathEpisodes:
    """Open the set of a path's episodes."""
    return PathEpisodes(path, find_mapping_in_force(None, mapping))
