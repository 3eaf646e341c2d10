"""Are sensors, viewpoints and clocks declared so that somebody can build and verify the station?"""

from collections.abc import Iterator

from fieldloop.protocol.linting.draft import CAMERAS, Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity
from fieldloop.protocol.synchronisation import SyncMeans

FINE = ("force_torque", "depth")


def none_required(draft: Draft) -> Iterator[Remark]:
    """Where nothing is required, a log without cameras passes."""
    if not any(sensor.required for sensor in draft.protocol.sensors.values()):
        yield Remark(
            "P301", Severity.WARNING, "sensors", "No stream is required, so a log without any camera would do.",
            'Name the streams under [sensors."…"] with required = true.',
        )  # fmt: skip


def unseen(draft: Draft) -> Iterator[Remark]:
    """A camera that may hang anywhere gives another dataset each time it is mounted."""
    for camera in draft.cameras:
        if camera.required and camera.stream not in draft.protocol.viewpoints:
            yield Remark(
                "P302", Severity.WARNING, f"sensors.{camera.stream}", "A required camera without a viewpoint.",
                f'Say where it stands: [viewpoints."{camera.stream}"] with mounted, sees and tolerances.',
            )  # fmt: skip


def loose(draft: Draft) -> Iterator[Remark]:
    """A viewpoint without tolerances cannot be checked with a ruler."""
    for name, viewpoint in draft.protocol.viewpoints.items():
        if viewpoint.tolerance_mm is None or viewpoint.tolerance_deg is None:
            yield Remark(
                "P303", Severity.WARNING, f"viewpoints.{name}", "The mounting tolerance is not complete.",
                "Give tolerance_mm and tolerance_deg.",
            )  # fmt: skip
        if not viewpoint.mounted and viewpoint.position_m is None:
            yield Remark(
                "P304", Severity.ERROR, f"viewpoints.{name}", "Neither words nor a pose say where it stands.",
                "Write mounted = …, or parent, position_m and quaternion_xyzw.",
            )  # fmt: skip


def of_nothing(draft: Draft) -> Iterator[Remark]:
    """A viewpoint or clock of a stream that nobody asks for is a misspelt name."""
    for part, rows in (("viewpoints", draft.protocol.viewpoints), ("synchronisation", draft.protocol.synchronisation)):
        for name in rows:
            sensor = draft.protocol.sensors.get(name)
            if sensor is None:
                yield Remark(
                    "P305", Severity.ERROR, f"{part}.{name}", f"No sensor is called {name!r}.",
                    f"Known: {', '.join(draft.protocol.sensors) or 'none'}.",
                )  # fmt: skip
            elif part == "viewpoints" and sensor.kind not in CAMERAS:
                yield Remark(
                    "P306", Severity.WARNING, f"{part}.{name}", f"{name} is no camera but {sensor.kind}.", "Remove it."
                )


def undeclared(draft: Draft) -> Iterator[Remark]:
    """Nothing is released from a device whose clock nobody accounts for."""
    for sensor in draft.protocol.sensors.values():
        declared = draft.protocol.synchronisation.get(sensor.stream)
        if sensor.required and (declared is None or declared.by is SyncMeans.UNKNOWN):
            yield Remark(
                "P307", Severity.ERROR, f"sensors.{sensor.stream}", "Nothing says what keeps its clock.",
                "Set synchronised_by: hardware trigger, PTP, NTP or none.",
            )  # fmt: skip
        elif declared and declared.by is SyncMeans.NONE:
            yield Remark(
                "P308", Severity.WARNING, f"synchronisation.{sensor.stream}", "Nothing keeps its clock.",
                "Its offset must be measured in each session, or the device triggered.",
            )  # fmt: skip


def no_way_to_verify(draft: Draft) -> Iterator[Remark]:
    """A declaration that nobody says how to verify stays a claim."""
    for name, declared in draft.protocol.synchronisation.items():
        if not declared.how and declared.by is not SyncMeans.UNKNOWN:
            yield Remark(
                "P309", Severity.HINT, f"synchronisation.{name}", "It is not said how the offset is verified.",
                f'Add how = "…" under [synchronisation."{name}"].',
            )  # fmt: skip


def unspecified(draft: Draft) -> Iterator[Remark]:
    """A camera is asked for by rate and size, or any camera does."""
    for camera in draft.cameras:
        missing = [key for key in ("hz", "width", "height") if getattr(camera, key) is None]
        if camera.required and missing:
            yield Remark(
                "P310", Severity.WARNING, f"sensors.{camera.stream}", f"{', '.join(missing)} not given.",
                "Ask for a rate and a size, such as hz = 30, width = 640, height = 480.",
            )  # fmt: skip


def delicate(draft: Draft) -> Iterator[Remark]:
    """A delicate sensor without a precision promises what nobody can check."""
    for sensor in draft.protocol.sensors.values():
        if sensor.delicate and sensor.precision is None and sensor.kind in FINE:
            yield Remark(
                "P311", Severity.WARNING, f"sensors.{sensor.stream}", "It is delicate, but its precision is not given.",
                "Set precision in N for force, in m for depth.",
            )  # fmt: skip


RULES: tuple[Rule, ...] = (
    none_required, unseen, loose, of_nothing, undeclared, no_way_to_verify, unspecified, delicate,
)  # fmt: skip
