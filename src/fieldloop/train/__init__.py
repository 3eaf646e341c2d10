"""A Release becomes a policy bundle: the reference learner, its export, and a register for other trainers.

`gather_samples` reads demonstrations, `train_policy` turns them into a model, `write_bundle` puts it into a folder.
Another trainer joins by one call, `register_trainer("mine", my_trainer)`, and is named by
`train_policy(…, trainer="mine")`.
"""

from fieldloop.model.policy import Input
from fieldloop.train.bundle import write_bundle as write_bundle
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
