"""A few dozen demonstrations on the laboratory bench, annotated with the truth, for all tests of training."""

import numpy as np
import pytest

from fieldloop.model.annotation import Annotation
from fieldloop.protocol import default_operations
from fieldloop.simulate.arm.compression import simulate_delivered_depth, simulate_delivered_picture
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.mix import draw_strata
from fieldloop.train.samples import Sample, gather_samples


def truth(shown):
    episode = shown.recording.episode.id
    return [Annotation(episode, "phase", name, begin, end, "truth") for name, begin, end in shown.truth.phases]


def demonstrated(floor, mix, count, purpose):
    people, found = floor.list_operators(), []
    for i, stratum in enumerate(draw_strata(mix, count, floor.make_random_generator(purpose))):
        shown = floor.demonstrate(stratum, people[i % len(people)], floor.make_random_generator(purpose, i), 10**18)
        for sample in gather_samples([shown.recording], truth(shown), frames=1).samples:
            pictures = np.stack([simulate_delivered_picture(picture) for picture in sample.pictures])
            found.append(Sample(sample.episode, pictures, simulate_delivered_depth(sample.depths), sample.grasp))
    return found


@pytest.fixture(scope="session")
def floor():
    return Floor(5)


@pytest.fixture(scope="session")
def settings():
    """Fewer steps than in earnest: the laws hold for these too."""
    return default_operations()["train"].replace_values(process_steps=20)


@pytest.fixture(scope="session")
def demonstrate_many():
    """Return the function that makes samples of a mix, for tests that need another floor."""
    return demonstrated


@pytest.fixture(scope="session")
def samples(floor):
    return demonstrated(floor, floor.make_lab_mix(), 48, "train-tests")
