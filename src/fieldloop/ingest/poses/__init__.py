"""Poses from files: robot and target for hand-eye, looks at a marker, wrenches at rest; JSON, CSV, or an archive."""

from fieldloop.ingest.poses.files import PoseFiles, read_poses
from fieldloop.ingest.poses.marker_views import KNOWN, MOUNT, SEEN, read_marker_views
from fieldloop.ingest.poses.touched import TouchedPoints, read_touched_points
from fieldloop.ingest.poses.wrenches import Wrenches, read_wrenches

__all__ = [
    "KNOWN",
    "MOUNT",
    "SEEN",
    "PoseFiles",
    "TouchedPoints",
    "Wrenches",
    "read_marker_views",
    "read_poses",
    "read_touched_points",
    "read_wrenches",
]
