"""Lint rules about sensors, viewpoints and clocks."""

from collections.abc import Iterator

from fieldloop.model.note import note
from fieldloop.protocol.linting.draft import CAMERAS, Draft, Rule
from fieldloop.protocol.linting.remark import Remark, Severity
from fieldloop.protocol.synchronisation import SyncMeans

FINE = ("force_torque", "depth")


def find_no_stream_required(draft: Draft) -> Iterator[Remark]:
    """Without required streams a log without cameras passes."""
    if not any(sensor.required for sensor in draft.protocol.sensors.values()):
        yield Remark(
            "P301",
            Severity.WARNING,
            "sensors",
            note("protocol.p301"),
            note("protocol.p301_advice"),
        )


def find_cameras_without_viewpoint(draft: Draft) -> Iterator[Remark]:
    """A camera without a fixed position gives another dataset each time it is mounted."""
    for camera in draft.cameras:
        if camera.required and camera.stream not in draft.protocol.viewpoints:
            yield Remark(
                "P302",
                Severity.WARNING,
                f"sensors.{camera.stream}",
                note("protocol.p302"),
                note("protocol.p302_advice", stream=camera.stream),
            )


def find_viewpoints_without_tolerance(draft: Draft) -> Iterator[Remark]:
    """A viewpoint without tolerances cannot be verified."""
    for name, viewpoint in draft.protocol.viewpoints.items():
        if viewpoint.tolerance_mm is None or viewpoint.tolerance_deg is None:
            yield Remark(
                "P303",
                Severity.WARNING,
                f"viewpoints.{name}",
                note("protocol.p303"),
                note("protocol.p303_advice"),
            )
        if not viewpoint.mounted and viewpoint.position_m is None:
            yield Remark(
                "P304",
                Severity.ERROR,
                f"viewpoints.{name}",
                note("protocol.p304"),
                note("protocol.p304_advice"),
            )


def find_viewpoints_or_clocks_of_unknown_streams(draft: Draft) -> Iterator[Remark]:
    """A viewpoint or clock of an unknown stream is probably misspelt."""
    for part, rows in (("viewpoints", draft.protocol.viewpoints), ("synchronisation", draft.protocol.synchronisation)):
        for name in rows:
            sensor = draft.protocol.sensors.get(name)
            if sensor is None:
                yield Remark(
                    "P305",
                    Severity.ERROR,
                    f"{part}.{name}",
                    note("protocol.p305", name=name),
                    note("protocol.p305_advice", sensors=", ".join(draft.protocol.sensors) or "none"),
                )
            elif part == "viewpoints" and sensor.kind not in CAMERAS:
                yield Remark(
                    "P306",
                    Severity.WARNING,
                    f"{part}.{name}",
                    note("protocol.p306", name=name, kind=str(sensor.kind)),
                    note("protocol.p306_advice"),
                )


def find_undeclared_clocks(draft: Draft) -> Iterator[Remark]:
    """Nothing is released from a device whose clock is not declared."""
    for sensor in draft.protocol.sensors.values():
        declared = draft.protocol.synchronisation.get(sensor.stream)
        if sensor.required and (declared is None or declared.by is SyncMeans.UNKNOWN):
            yield Remark(
                "P307",
                Severity.ERROR,
                f"sensors.{sensor.stream}",
                note("protocol.p307"),
                note("protocol.p307_advice"),
            )
        elif declared and declared.by is SyncMeans.NONE:
            yield Remark(
                "P308",
                Severity.WARNING,
                f"synchronisation.{sensor.stream}",
                note("protocol.p308"),
                note("protocol.p308_advice"),
            )


def find_clocks_without_verification_method(draft: Draft) -> Iterator[Remark]:
    """A declared clock needs a way to verify it."""
    for name, declared in draft.protocol.synchronisation.items():
        if not declared.how and declared.by is not SyncMeans.UNKNOWN:
            yield Remark(
                "P309",
                Severity.HINT,
                f"synchronisation.{name}",
                note("protocol.p309"),
                note("protocol.p309_advice", name=name),
            )


def find_cameras_without_rate_or_size(draft: Draft) -> Iterator[Remark]:
    """A required camera needs a rate and a size."""
    for camera in draft.cameras:
        missing = [key for key in ("hz", "width", "height") if getattr(camera, key) is None]
        if camera.required and missing:
            yield Remark(
                "P310",
                Severity.WARNING,
                f"sensors.{camera.stream}",
                note("protocol.p310", missing=tuple(missing)),
                note("protocol.p310_advice"),
            )


def find_delicate_sensors_without_precision(draft: Draft) -> Iterator[Remark]:
    """A delicate sensor needs a stated precision."""
    for sensor in draft.protocol.sensors.values():
        if sensor.delicate and sensor.precision is None and sensor.kind in FINE:
            yield Remark(
                "P311",
                Severity.WARNING,
                f"sensors.{sensor.stream}",
                note("protocol.p311"),
                note("protocol.p311_advice"),
            )


RULES: tuple[Rule, ...] = (
    find_no_stream_required,
    find_cameras_without_viewpoint,
    find_viewpoints_without_tolerance,
    find_viewpoints_or_clocks_of_unknown_streams,
    find_undeclared_clocks,
    find_clocks_without_verification_method,
    find_cameras_without_rate_or_size,
    find_delicate_sensors_without_precision,
)
