"""Frames of a release for a trainer: rows of all episodes in memory, pictures decoded when they are asked for."""

from fieldloop.release.frames.dataset import FrameDataset
from fieldloop.release.frames.table import FrameTable, make_frame_table
from fieldloop.release.frames.windows import Window, make_window

__all__ = ["FrameDataset", "FrameTable", "Window", "make_frame_table", "make_window"]
