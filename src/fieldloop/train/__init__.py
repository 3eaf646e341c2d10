"""A Release becomes a policy bundle: the reference learner, its export, and a register for other trainers.

`gather` reads demonstrations, `learn` turns them into a model, `write_bundle` puts it into a folder. Another trainer
joins by one call, `register("mine", my_trainer)`, and is asked for by name: `learn(…, trainer="mine")`.
"""

from fieldloop.model.policy import Input
from fieldloop.train.bundle import write as write_bundle
from fieldloop.train.samples import Gathered, Sample, gather_samples
from fieldloop.train.trainers import Trained, Trainer, register_trainer, train_policy

__all__ = [
    "Gathered",
    "Input",
    "Sample",
    "Trained",
    "Trainer",
    "gather_samples",
    "register_trainer",
    "train_policy",
    "write_bundle",
]
