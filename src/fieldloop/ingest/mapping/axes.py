"""Turn vectors and poses into REP 103 axes (forward, left, up); cameras and game engines use others."""

import numpy as np
from numpy.typing import NDArray

from fieldloop.errors import BadInput

DIRECTIONS = {
    "forward": (1, 0, 0), "backward": (-1, 0, 0), "left": (0, 1, 0),
    "right": (0, -1, 0), "up": (0, 0, 1), "down": (0, 0, -1),
}  # fmt: skip
REP_103 = "forward left up"


def find_rep_103_rotation(axes: str) -> NDArray[np.float64]:
    """Return the rotation from these axes to REP 103; BadInput where the axes are invalid.

    >>> (find_rep_103_rotation("right down forward") @ [0, 0, 1]).tolist()  # what a camera sees ahead
    [1.0, 0.0, 0.0]
    """
    words = axes.replace(",", " ").split()
    if len(words) != 3 or any(word not in DIRECTIONS for word in words):  # noqa: PLR2004 - x, y, z
        raise BadInput(
            f"Axes must state where x, y and z point, such as {REP_103!r} or 'right down forward', not {axes!r}."
        )
    turned = np.asarray([DIRECTIONS[word] for word in words], np.float64).T
    if round(float(np.linalg.det(turned))) != 1:
        raise BadInput(f"Axes {axes!r} are not a right-handed frame: one axis is named twice or points the wrong way.")
    return turned


def rotate_vectors(values: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn every three columns as one vector."""
    return np.asarray((values.reshape(len(values), -1, 3) @ rotation.T).reshape(len(values), -1))


def rotate_poses(values: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn x y z qx qy qz qw, seven columns at a time: their reference frame gets other axes."""
    from scipy.spatial.transform import Rotation

    turned = values.copy()
    for first in range(0, values.shape[1], 7):
        turned[:, first : first + 3] = rotate_vectors(values[:, first : first + 3], rotation)
        quaternions = values[:, first + 3 : first + 7]
        known = np.isfinite(quaternions).all(1) & (np.linalg.norm(quaternions, axis=1) > 0)
        turned[known, first + 3 : first + 7] = (
            Rotation.from_matrix(rotation) * Rotation.from_quat(quaternions[known])
        ).as_quat()
    return turned
