"""Pictures of calibration boards taken by a known camera, which a calibration must recover."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldloop.calibrate.intrinsics import Board, BoardKind, Lens
from fieldloop.calibrate.intrinsics.detect import make_charuco_board
from fieldloop.geometry import transforms as tf
from fieldloop.geometry.transforms import Floats

PAPER, INK, WALL = 225.0, 30.0, 120.0
MARGIN = 1.0
"""White paper around the squares, in squares."""
TEXTURE_PX = 60
"""Pixels per square in the drawing of a ChArUco board."""


@dataclass(frozen=True, slots=True, eq=False)
class Lensed:
    """The true camera: its size, matrix and distortion."""

    width: int
    height: int
    matrix: Floats
    distortion: Floats
    lens: Lens = Lens.PLUMB_BOB

    def compute_rays(self, pixels: Floats) -> Floats:
        """Return the directions (z = 1) that pixels look in."""
        import cv2

        at = np.ascontiguousarray(pixels, dtype=float).reshape(-1, 1, 2)
        if self.lens is Lens.FISHEYE:
            flat = cv2.fisheye.undistortPoints(at, self.matrix, self.distortion)
        else:
            stop = (3, 50, 1e-10)
            flat = cv2.undistortPointsIter(at, self.matrix, self.distortion, None, None, stop)
        flat = np.asarray(flat, dtype=float).reshape(-1, 2)
        return np.column_stack([flat, np.ones(len(flat))])


@dataclass(frozen=True, slots=True)
class Exposure:
    """How a picture is taken: grey levels of noise, blur in px, samples per pixel along each side."""

    noise: float = 2.0
    blur_px: float = 0.7
    samples: int = 3


EXPOSURE = Exposure()


def render_board_picture(
    board: Board, camera: Lensed, camera_from_board: Floats, rng: np.random.Generator, exposure: Exposure = EXPOSURE
) -> NDArray[np.uint8]:
    """Return what a camera sees of a board on a grey wall."""
    return render_board_pictures(board, camera, [camera_from_board], rng, exposure)[0]


def render_board_pictures(
    board: Board, camera: Lensed, poses: Sequence[Floats], rng: np.random.Generator, exposure: Exposure = EXPOSURE
) -> list[NDArray[np.uint8]]:
    """Return a picture for each `camera_from_board`."""
    import cv2

    u, v = np.meshgrid(np.arange(camera.width), np.arange(camera.height))
    whole = camera.compute_rays(np.stack([u, v], axis=-1).reshape(-1, 2).astype(float)).reshape(
        camera.height, camera.width, 3
    )
    # between pixels a ray is straight to a thousandth of a pixel, and bending each sample would take minutes
    rays = cv2.resize(whole, None, fx=exposure.samples, fy=exposure.samples, interpolation=cv2.INTER_LINEAR)
    rays = rays.reshape(-1, 3)
    return [_expose(_render_light(board, camera, rays, pose, exposure.samples), rng, exposure) for pose in poses]


def _render_light(board: Board, camera: Lensed, rays: Floats, camera_from_board: Floats, samples: int) -> Floats:
    board_from_camera = tf.invert_transform(camera_from_board)
    eye, aim = board_from_camera[:3, 3], rays @ board_from_camera[:3, :3].T
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = -eye[2] / aim[:, 2]
        at = (eye + aim * reach[:, None])[:, :2] / board.square_m
    levels = _compute_grey_levels(board, np.where(reach[:, None] > 0, at, -99.0))
    return np.asarray(levels.reshape(camera.height, samples, camera.width, samples).mean(axis=(1, 3)))


def _expose(light: Floats, rng: np.random.Generator, exposure: Exposure) -> NDArray[np.uint8]:
    import cv2

    blurred = cv2.GaussianBlur(light, (0, 0), exposure.blur_px) if exposure.blur_px else light
    return np.asarray(np.clip(blurred + rng.normal(0, exposure.noise, light.shape), 0, 255), dtype=np.uint8)


def draw_board_poses(board: Board, camera: Lensed, rng: np.random.Generator, count: int) -> list[Floats]:
    """Return `camera_from_board` of views that a careful person would take: all over the picture, tilted both ways."""
    across, down = board.corners
    middle = np.array([(across - 1) / 2, (down - 1) / 2, 0]) * board.square_m
    poses: list[Floats] = []
    while len(poses) < count:
        tilt = rng.uniform(np.radians(15), np.radians(40))
        about = rng.uniform(0, 2 * np.pi)
        lean = tf.rotation_from_vector(tilt * np.array([np.cos(about), np.sin(about), 0]))
        turn = lean @ tf.make_rotation_about_axis("z", rng.uniform(-0.4, 0.4))
        distance = rng.uniform(1.1, 1.8) * across * board.square_m * camera.matrix[0, 0] / camera.width
        aim = camera.compute_rays(rng.uniform([0.2, 0.2], [0.8, 0.8], (1, 2)) * [camera.width, camera.height])[0]
        pose = tf.make_transform(turn, aim * distance - turn @ middle)
        if shows_whole_board(board, camera, pose):
            poses.append(pose)
    return poses


def shows_whole_board(board: Board, camera: Lensed, camera_from_board: Floats, margin_px: float = 6.0) -> bool:
    """Do all corners lie inside the picture?"""
    seen = project_board_corners(board, camera, camera_from_board)
    low, high = seen.min(axis=0), seen.max(axis=0)
    return bool((low > margin_px).all() and (high < np.array([camera.width, camera.height]) - margin_px).all())


def project_board_corners(board: Board, camera: Lensed, camera_from_board: Floats) -> Floats:
    """Return where the board's corners truly are in the picture."""
    from fieldloop.calibrate.intrinsics.lens import project_points

    turn = tf.vector_from_rotation(camera_from_board[:3, :3])
    return project_points(board.points(), turn, camera_from_board[:3, 3], camera.matrix, camera.distortion, camera.lens)


def _compute_grey_levels(board: Board, board_points: Floats) -> Floats:
    """Return the grey of the board's plane at places in squares from its first inner corner."""
    if board.kind is BoardKind.CHARUCO:
        return _compute_charuco_levels(board, board_points)
    across, down = board.corners
    cell = np.floor(board_points)
    dark = (cell.sum(axis=1) % 2) == 0
    squares = ((cell >= -1) & (cell < [across, down])).all(axis=1)
    paper = ((board_points >= -1 - MARGIN) & (board_points < np.array([across, down]) + MARGIN)).all(axis=1)
    return np.where(squares & dark, INK, np.where(paper, PAPER, WALL))


def _compute_charuco_levels(board: Board, board_points: Floats) -> Floats:
    drawn = make_charuco_board(board).generateImage((board.columns * TEXTURE_PX, board.rows * TEXTURE_PX)).astype(float)
    cell = np.floor((board_points + 1) * TEXTURE_PX).astype(np.int64)
    inside = ((cell >= 0) & (cell < [drawn.shape[1], drawn.shape[0]])).all(axis=1)
    paper = ((board_points >= -1 - MARGIN) & (board_points < np.array([board.columns, board.rows]) - 1 + MARGIN)).all(
        axis=1
    )
    safe = cell * np.asarray(inside)[:, None]
    ink = INK + (PAPER - INK) * drawn[safe[:, 1], safe[:, 0]] / 255
    return np.where(inside, ink, np.where(paper, PAPER, WALL))
