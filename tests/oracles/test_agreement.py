"""Agreement beside pygamma-agreement and mir_eval, and our labels in a dataset as LeRobot's library reads them."""

import json
import subprocess

import numpy as np
import pytest
from tests.oracles import venvs

from fieldloop.model.annotation import Annotation
from fieldloop.release.writers import write_lerobot
from fieldloop.release.writers.lerobot.labels import write_lerobot_labels
from fieldloop.stats.segments import Segments, count_hits_within, list_boundaries
from fieldloop.stats.segments.gamma import Units, compute_disorder
from fieldloop.testing.synthetic import make_healthy_recording

pytestmark = pytest.mark.oracle

GAMMA = """
import json, logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(50)
from pyannote.core import Segment
from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum
found = []
for annotators, alpha in json.load(sys.stdin):
    continuum = Continuum()
    for number, spans in enumerate(annotators):
        for label, start, end in spans:
            continuum.add(str(number), Segment(start, end), str(label))
    best = continuum.get_best_alignment(CombinedCategoricalDissimilarity(alpha=alpha, beta=1))
    found.append(float(best.disorder))
json.dump(found, sys.stdout)
"""
HITS = """
import json, sys
import mir_eval, numpy as np
def cut(times): return np.c_[times[:-1], times[1:]]
asked = [(np.array(a), np.array(b), window) for a, b, window in json.load(sys.stdin)]
print(json.dumps([mir_eval.segment.detection(cut(a), cut(b), window=w)[2] for a, b, w in asked]))
"""
LABELS = """
import json, sys
try: import lr_shim
except ImportError: pass
from lerobot.datasets.language_render import active_at
from lerobot.datasets.lerobot_dataset import LeRobotDataset
data = LeRobotDataset("nobody/set", root=sys.argv[1], video_backend="pyav")
active = []
for frame in (0, 119, 120, 200, 299):
    item = data[frame]
    row = active_at(float(item["timestamp"]), persistent=item["language_persistent"], style="subtask")
    active.append(row["content"] if row else None)
first = data.meta.episodes[0]
print(json.dumps({"active": active, "names": first["dense_subtask_names"], "ends": first["dense_subtask_end_frames"]}))
"""


def ask(script, question=None, *arguments, python=None):
    environment = {"HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [python or venvs.agreement(), "-c", script, *arguments], input=json.dumps(question), capture_output=True,
        text=True, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def draw_annotators(rng, many):
    """Annotators of one timeline: the same segments, moved, renamed and left out."""
    starts = np.cumsum(rng.uniform(1, 6, 9))
    made = []
    for _ in range(many):
        spans = [
            (int(rng.integers(1, 4)), float(s + rng.normal(0, 1)), float(s + rng.uniform(1.5, 4)))
            for s in starts
            if rng.random() > 0.2
        ]
        made.append([(label, a, max(b, a + 0.3)) for label, a, b in spans] or [(1, 0.0, 1.0)])
    return made


def test_disorders_of_random_annotators_are_pygammas():
    rng = np.random.default_rng(8)
    asked = [(draw_annotators(rng, many), alpha) for many in (2, 3, 4) for alpha in (1, 3) for _ in range(4)]
    expected = ask(GAMMA, asked)
    for (annotators, alpha), theirs in zip(asked, expected, strict=True):
        units = [Units(*(np.array(column, float) for column in zip(*spans, strict=True))) for spans in annotators]
        assert compute_disorder(units, alpha) == pytest.approx(theirs, rel=1e-4)


def test_hits_of_random_boundaries_are_mir_evals():
    rng = np.random.default_rng(9)
    asked = [
        (np.unique(rng.integers(0, 400, 12) / 10).tolist(), np.unique(rng.integers(0, 400, 15) / 10).tolist(), window)
        for window in (0.5, 3.0)
        for _ in range(20)
    ]
    for (first, second, window), theirs in zip(asked, ask(HITS, asked), strict=True):
        ours = [list_boundaries(_make_segments(times)) for times in (first, second)]
        hits = count_hits_within(*ours, round(window * 1000), 1)[0]
        assert 2 * hits / (len(first) + len(second)) == pytest.approx(theirs)


def _make_segments(times):
    stamps = [round(1000 * t) for t in times]
    labels = [1 + n % 2 for n in range(len(stamps) - 1)]
    return Segments.of([0] * len(labels), labels, stamps[:-1], stamps[1:])


def test_lerobot_reads_our_labels_frame_by_frame(tmp_path):
    recording = make_healthy_recording()
    episode, folder = recording.episode, tmp_path / "set"
    write_lerobot([recording], folder)
    labels = [
        Annotation(episode.id, "phase", label, episode.start_ns + a * 10**9, episode.start_ns + b * 10**9, "ann")
        for label, a, b in (("approach", 0, 4), ("grasp", 4, 6))
    ]
    write_lerobot_labels(folder, {episode.id: labels}, 30.0)
    found = ask(LABELS, None, str(folder), python=venvs.lerobot())
    assert found["active"] == ["approach", "approach", "grasp", "grasp", "grasp"]
    assert (found["names"], found["ends"]) == (["approach", "grasp"], [119, 179])
