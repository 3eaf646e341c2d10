"""Numbers by which labels are proposed lie in commented files; moving them there changed no boundary."""

import pytest
from bench.proposal_cases import DEVELOPMENT, list_floor_cases

from fieldloop.annotate import load_shipped_measures, propose_labels
from fieldloop.annotate.measures import load_proposal_measures

MS = 1e6
BEFORE = {
    "tool": [-8, 1192, 1820, 2271, 3100, 3959, 4680, 4945, 5976],
    "joints": [-13, 1796, 2263, 4675, 4935, 5918],
    "strange": [-37, 1695, 2233, 4619, 4908, 5983],
}
"""Boundaries in ms of the second demonstration of floor 5, proposed while the numbers were in the code."""


def test_boundaries_are_those_of_the_numbers_in_code():
    for case in list(list_floor_cases(5, 2, DEVELOPMENT))[3:]:
        spans = [a for a in propose_labels(case.recording, author="machine").annotations if a.kind == "phase"]
        edges = [spans[0].start_ns, *(span.end_ns for span in spans)]
        assert [round((at - case.start_ns) / MS) for at in edges] == BEFORE[case.source]


@pytest.mark.parametrize("numbers", [load_proposal_measures(), load_shipped_measures()])
def test_shares_and_quantiles_lie_between_0_and_1(numbers):
    shares = [name for name in numbers if name.endswith(("_share", "_quantile"))]
    assert shares
    assert all(0 < numbers[name] < 1 for name in shares)
