"""Hand-eye calibration in both set-ups: the pose of the camera and of the target."""

from fieldloop.calibrate.hand_eye.held_out import METHODS, REFINED, Residual
from fieldloop.calibrate.hand_eye.poses import Answer, Pairs, Setup, make_pairs
from fieldloop.calibrate.hand_eye.reject import Rejected
from fieldloop.calibrate.hand_eye.solve import HandEye, solve_hand_eye

__all__ = [
    "METHODS",
    "REFINED",
    "Answer",
    "HandEye",
    "Pairs",
    "Rejected",
    "Residual",
    "Setup",
    "make_pairs",
    "solve_hand_eye",
]
