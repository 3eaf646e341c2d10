"""Imprint of the evidence about each camera's lag behind the joints: about 400 kB for a minute of video."""

from typing import Any

from numpy.typing import NDArray

from fieldloop.check.case import Case
from fieldloop.check.episode.alignment import collect_camera_lag_evidence
from fieldloop.check.imprinting import register_imprinter
from fieldloop.model.stream import StreamKind


@register_imprinter("lag", needs=("cameras",), pixels=True)
def imprint_lag_evidence(case: Case) -> dict[str, NDArray[Any]]:
    """Return flow between pictures and the joints' path, camera by camera."""
    return {
        f"{camera.name}/{key}": array
        for camera in case.find_streams(StreamKind.RGB)
        for key, array in collect_camera_lag_evidence(case, camera).items()
    }
