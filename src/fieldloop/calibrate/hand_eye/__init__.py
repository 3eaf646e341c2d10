"""Hand-eye calibration in both set-ups: the pose of the camera and of the target."""

from fieldloop.calibrate.hand_eye.held_out import METHODS, REFINED, Residual
from fieldloop.calibrate.hand_eye.poses import Answer, Pairs, Setup, pairs
from fieldloop.calibrate.hand_eye.reject import Rejected
from fieldloop.calibrate.hand_eye.solve import HandEye, hand_eye

__all__ = ["METHODS", "REFINED", "Answer", "HandEye", "Pairs", "Rejected", "Residual", "Setup", "hand_eye", "pairs"]
