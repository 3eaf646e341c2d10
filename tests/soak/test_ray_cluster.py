"""The same checks on a real cluster of several nodes, one of which is killed half-way: the same answers."""

import itertools
from functools import partial

import pytest

from fieldloop.errors import UnreadableLog
from fieldloop.loop.data import check
from fieldloop.loop.work.measure_part import Part, Rules, measure_part
from fieldloop.loop.work.run_on import run_each
from fieldloop.protocol import default_protocol
from fieldloop.release.writers import write_mcap
from fieldloop.testing import synthetic

ray = pytest.importorskip("ray", reason="Ray is an extra: pip install 'fieldloop[ray]'")
LOGS = 12


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for seed in range(LOGS):
        write_mcap([synthetic.make_healthy_recording(seed=seed)], folder / f"{seed:02d}.mcap")
    return folder


@pytest.fixture
def cluster(monkeypatch):
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_DEDUP_LOGS", "0")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    monkeypatch.setenv("RAY_ADDRESS", made.address)
    yield made
    ray.shutdown()
    made.shutdown()


def plain(report):
    return report.json_object()


@pytest.mark.soak
def test_a_cluster_that_loses_a_node_gives_the_same_answers(logs, cluster, monkeypatch):
    doomed = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    here = check.check(None, (logs,))

    def killed_half_way(work, items, **chosen):
        results = run_each(work, items, **chosen)
        yield from itertools.islice(results, LOGS // 3)
        cluster.remove_node(doomed, allow_graceful=False)
        yield from results

    monkeypatch.setattr(check, "run_each", killed_half_way)
    there = check.check(None, (logs,), on="ray")
    assert len(there.episodes) == LOGS
    assert plain(there) == plain(here)


@pytest.mark.soak
@pytest.mark.usefixtures("cluster")
def test_an_error_on_a_worker_is_reported_as_it_is_here(tmp_path):
    nowhere = Part(tmp_path / "nowhere")
    with pytest.raises(UnreadableLog, match="no such file"):
        list(run_each(partial(measure_part, rules=Rules(default_protocol())), [nowhere], on="ray"))
