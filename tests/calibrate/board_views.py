"""Corners that a known camera would find, without drawing a picture: quick, and the truth is exact."""

import numpy as np

from fieldloop.calibrate.intrinsics import Lens, Look, Sighting, parse_board
from fieldloop.geometry import transforms as tf
from fieldloop.testing.boards import Lensed, draw_board_poses, project_board_corners, shows_whole_board

BOARD = parse_board("checkerboard:9x6:25mm")
MATRIX = np.array([[520.0, 0, 322], [0, 521, 236], [0, 0, 1]])
CAMERA = Lensed(640, 480, MATRIX, np.array([-0.28, 0.09, 0.001, -0.0005, 0.0]))
WIDE = np.array([[250.0, 0, 322], [0, 251, 236], [0, 0, 1]])
FISHEYE = Lensed(640, 480, WIDE, np.array([0.03, -0.01, 0.004, -0.001]), Lens.FISHEYE)


def sighting(pose, rng, noise_px, name, board=BOARD, camera=CAMERA):
    seen = project_board_corners(board, camera, pose)
    return Sighting(name, board.points(), seen + rng.normal(0, noise_px, seen.shape), np.arange(len(seen)))


def look_at(pose, rng, noise_px=0.1, name="", board=BOARD, camera=CAMERA):
    found = sighting(pose, rng, noise_px, name, board, camera)
    return Look(name, camera.width, camera.height, found, board.corners)


def looks(seed, count=12, noise_px=0.1, board=BOARD, camera=CAMERA):
    rng = np.random.default_rng(seed)
    poses = draw_board_poses(board, camera, rng, count)
    return [look_at(pose, rng, noise_px, f"view{n:02}", board, camera) for n, pose in enumerate(poses)]


def frontal_looks(seed, count=10, noise_px=0.1):
    """Boards all over the picture that never lean."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        pose = tf.make_transform(np.eye(3), [*rng.uniform([-0.3, -0.2], [0.1, 0.1]), rng.uniform(0.4, 0.5)])
        if shows_whole_board(BOARD, CAMERA, pose):
            found.append(look_at(pose, rng, noise_px, f"view{len(found):02}"))
    return found
