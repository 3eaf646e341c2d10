"""Recordings whose camera-to-joint timing is known exactly, to develop and to judge estimators of it.

`make_episode(rig, seed, …)` films one motion of one of `rigs.DEVELOPMENT` or `rigs.REPORT`. Behind it, in the order
light travels: `arms`, `motions`, `held`, `scenes`, `textures` say what is there; `eye`, `shadows` and `lens` see it;
`shutter` and `capture` make pictures of it; `video` compresses them; `episode` stamps them; `truth` says what the
stamps hide.
"""

from bench.timing_truth import rigs
from bench.timing_truth.episode import make_episode
from bench.timing_truth.motions import MOTIONS
from bench.timing_truth.rig import Rig
from bench.timing_truth.truth import CameraTruth, Step, TimedEpisode

__all__ = ["MOTIONS", "CameraTruth", "Rig", "Step", "TimedEpisode", "make_episode", "rigs"]
