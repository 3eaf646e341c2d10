"""Faults of the picking floor are read from words; sizes that no floor has are refused."""

import pytest

from fieldloop.errors import BadInput
from fieldloop.loop.floor import picking
from fieldloop.loop.floor.parse_faults import LARGEST, NUMBERS, parse_faults


def test_every_number_has_a_largest_size():
    assert set(LARGEST) == set(NUMBERS)
    for name, largest in LARGEST.items():
        assert getattr(parse_faults([f"{name}={largest}"]), name) == largest


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("camera_lag_s=10", "from 0 to 0.5, in seconds"),
        ("latency_s=-0.1", "from 0 to 1, in seconds"),
        ("extra_cycles=1e12", "from 0 to 1000000"),
        ("run_lag_s=nan", "run_lag_s = nan"),
        ("simulated_share=1.5", "from 0 to 1"),
        ("label_noise=inf", "from 0 to 1"),
        ("lamp=home@-1", "from 0 up"),
        ("lamp=home@inf", "from 0 up"),
    ],
)
def test_absurd_sizes_are_refused(word, says):
    with pytest.raises(BadInput, match=says):
        parse_faults([word])


def test_a_change_after_the_end_of_the_story_is_no_change(tmp_path):
    with pytest.raises(BadInput, match="ends after 3 weeks"):
        picking.simulate_case(tmp_path / "c", fault=("lamp=home@3",))
    with pytest.raises(BadInput, match="from 0 to 500"):
        picking.write_pick_logs(tmp_path / "p", camera_lag_ms=10_000.0)
    assert not (tmp_path / "c").exists(), "nothing is left behind"
