"""Find camera calibrations in a log: CameraInfo messages, or files attached to it."""

import json
import math
from collections.abc import Mapping
from typing import Any

from fieldloop.ingest.messages.plain_yaml import parse_yaml

MATRIX = ("camera_matrix", "K", "k", "intrinsic_matrix", "intrinsics")
DISTORTION = ("distortion_coefficients", "distortion_coeffs", "distortion", "dist_coeffs", "D", "d")
MODEL = ("distortion_model", "model")
WIDTH, HEIGHT = ("width", "image_width"), ("height", "image_height")
MATRIX_NUMBERS = 9
MOST_DISTORTION = 32


def format_intrinsics_as_json(calibration: Any) -> str | None:
    """Return a calibration as the text of a fact; None where no camera matrix is stated, or one of all zeros.

    >>> format_intrinsics_as_json({"K": [600, 0, 320, 0, 600, 240, 0, 0, 1], "D": [0.1], "width": 640, "height": 480})
    '{"camera_matrix": [600.0, 0.0, 320.0, 0.0, 600.0, 240.0, 0.0, 0.0, 1.0], "distortion": [0.1], "model": "", \
"width": 640, "height": 480}'
    """
    matrix = _flatten_numbers(_get_first_present(calibration, MATRIX))
    if len(matrix) != MATRIX_NUMBERS or not any(matrix):
        return None
    model = _get_first_present(calibration, MODEL)
    sizes = {
        name: _parse_int_or_zero(_get_first_present(calibration, keys))
        for name, keys in (("width", WIDTH), ("height", HEIGHT))
    }
    return json.dumps(
        {
            "camera_matrix": matrix,
            "distortion": _flatten_numbers(_get_first_present(calibration, DISTORTION))[:MOST_DISTORTION],
            "model": model if isinstance(model, str) else "",
            **sizes,
        }
    )


def find_calibrations(document: Any, name: str) -> dict[str, str]:
    """Find calibrations in a parsed file: one by itself, or one for each camera it names."""
    if not isinstance(document, Mapping):
        return {}
    if calibration := format_intrinsics_as_json(document):
        camera = document.get("camera_name")
        return {camera if isinstance(camera, str) and camera else name: calibration}
    inner = document.get("cameras", document)
    pairs = inner.items() if isinstance(inner, Mapping) else ()
    return {str(camera): calibration for camera, stated in pairs if (calibration := format_intrinsics_as_json(stated))}


def parse_json_or_yaml(content: bytes) -> Any:
    """Read a small JSON or YAML file; None where it is neither."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return parse_yaml(text.removeprefix("%YAML:1.0"))  # OpenCV writes a header that is not YAML
    except ValueError:
        return None


def _get_first_present(calibration: Any, names: tuple[str, ...]) -> Any:
    for name in names:
        value = calibration.get(name) if isinstance(calibration, Mapping) else getattr(calibration, name, None)
        if value is not None:
            return value
    return None


def _flatten_numbers(value: Any) -> list[float]:
    """Read numbers from a list, a list of rows, or a map with `data`, as ROS and OpenCV write matrices."""
    if isinstance(value, Mapping):
        value = value.get("data")
    try:
        flat = [float(n) for row in value for n in (row if hasattr(row, "__len__") else (row,))]
    except (TypeError, ValueError, OverflowError):
        return []
    return flat if all(math.isfinite(n) for n in flat) else []


def _parse_int_or_zero(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else 0
