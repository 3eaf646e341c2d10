"""The numbers of annotation: limits of the protocol, and how work is dealt."""

from fieldloop.annotate import DisputeLimits
from fieldloop.loop.workspace import Workspace
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import default_protocol

NS_PER_MINUTE = 60 * NS_PER_S
DOUBLE_SHARE = "annotation.min_double_share"
KAPPA, BOUNDARY, TOLERANCE = (
    "annotation.min_kappa", "annotation.max_boundary_frames", "annotation.boundary_tolerance_frames",
)  # fmt: skip


def read_limits(workspace: Workspace, task: str = "") -> DisputeLimits:
    """Return how far two people may differ, by the protocol of a task."""
    kappa, boundary, tolerance = (
        read_annotation_number(workspace, name, task) for name in (KAPPA, BOUNDARY, TOLERANCE)
    )
    return DisputeLimits(kappa, boundary, tolerance, workspace.operations["agree"].number("frame_hz"))


def read_annotation_number(workspace: Workspace | None, name: str, task: str = "") -> float:
    """Return a number of the protocol's annotation section; the shipped one where the protocol has none."""
    rules = workspace.protocol(task) if workspace else default_protocol()
    return float(rules.setting(name) if name in rules.settings else default_protocol().setting(name))


def compute_lease_end(workspace: Workspace, now_ns: int) -> int:
    """Return until when a task is reserved that is taken or saved now."""
    return now_ns + round(workspace.operations["annotate"].number("lease_minutes") * NS_PER_MINUTE)
