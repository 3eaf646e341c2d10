"""The bench of planning, in its short form: all strategies run, rows repeat, and a run that was stopped goes on."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest
from bench import plan
from bench.closed_loop.floors import opened
from bench.closed_loop.jobs import Job, finished, work
from bench.closed_loop.judge import Seen
from bench.closed_loop.picture import draw
from bench.closed_loop.tables import tables
from bench.closed_loop.trials import BASELINE, OURS, PRIMARY, SHORT, SHORT_SIZES, STRATEGIES, TRIALS
from bench.doc_page import marks, put
from bench.plan import COMMAND
from bench.plan_loop import NAMES, Run

from fieldloop.errors import BadInput
from fieldloop.protocol import default_operations

SEEDS = range(plan.DEVELOPMENT, plan.DEVELOPMENT + SHORT.seeds)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plan")


@pytest.fixture(scope="module")
def shown(folder: Path) -> Seen:
    (found,) = plan.look(plan.Asked([(SHORT, SEEDS)], STRATEGIES, SHORT_SIZES, folder))
    return found


def test_every_strategy_is_there_on_every_seed(shown: Seen) -> None:
    assert shown.seeds == tuple(SEEDS)
    assert set(shown.curves) == set(STRATEGIES) == set(NAMES)
    for name, curves in shown.curves.items():
        assert curves.production.shape == (SHORT.seeds, SHORT.rounds_of(name) + 1)
        assert (curves.production[:, 0] == shown.curves[BASELINE].production[:, 0]).all(), "all begin alike"
        assert (curves.spent[:, -1] <= SHORT.budget * SHORT.rounds_of(name)).all()
        assert (curves.spent[:, -1] > 0.0).all()


def test_more_of_the_laboratory_does_not_beat_the_plan(shown: Seen) -> None:
    assert shown.area("same").mean() <= shown.area(OURS).mean()


def test_plenty_of_production_beats_the_start(shown: Seen) -> None:
    assert (shown.reference > shown.start).all()


@pytest.mark.parametrize("strategy", [OURS, BASELINE])
def test_a_row_repeats(shown: Seen, folder: Path, strategy: str) -> None:
    here = opened(folder, SHORT.preset, SEEDS[0], SHORT_SIZES)
    settings = default_operations()["plan"].replace_values(draws=2)
    rows = Run(here, strategy, SHORT.budget, settings).rows(1)
    kept = finished(folder, SHORT_SIZES)[Job(SHORT, shown.seeds[0], strategy).key]["rows"]
    assert [asdict(row) for row in rows] == kept[:2]


def test_what_is_finished_is_not_done_again(shown: Seen, folder: Path) -> None:
    file = folder / "rows.jsonl"
    before = file.read_text(encoding="utf-8")
    work(folder, [(SHORT, SEEDS, STRATEGIES)], SHORT_SIZES, workers=1)
    assert file.read_text(encoding="utf-8") == before
    assert len(finished(folder, SHORT_SIZES)) == len(shown.seeds) * (1 + len(STRATEGIES))


def test_a_line_that_was_cut_off_and_other_sizes_count_as_not_done(shown: Seen, folder: Path, tmp_path: Path) -> None:
    text = (folder / "rows.jsonl").read_text(encoding="utf-8")
    (tmp_path / "rows.jsonl").write_text(text[:-20], encoding="utf-8")
    assert len(finished(tmp_path, SHORT_SIZES)) == len(finished(folder, SHORT_SIZES)) - 1
    assert not finished(folder, replace(SHORT_SIZES, logged=1))
    assert shown.seeds


def test_figures_tables_and_picture(shown: Seen, tmp_path: Path) -> None:
    figures = plan.figures([shown])
    assert {"demos_ratio_to_frequency", "informed_rule_share", "auc_over_frequency_covered_traps"} == set(figures)
    assert all(figure.n == SHORT.seeds for figure in figures.values())
    written = tables([shown])
    assert all(f"| {name} |" in written for name in STRATEGIES)
    for file in ("one.svg", "two.svg"):
        draw([shown], tmp_path / file)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_a_page_keeps_what_stands_around_its_tables(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    begin, end = marks(COMMAND)
    page.write_text(f"before\n{begin}\nold\n{end}\nafter\n", encoding="utf-8")
    put(page, COMMAND, "new\n")
    assert page.read_text(encoding="utf-8") == f"before\n{begin}\nnew\n{end}\nafter\n"
    page.write_text("no marks", encoding="utf-8")
    with pytest.raises(BadInput, match="lacks the marks"):
        put(page, COMMAND, "new")


def test_the_statement_names_what_is_run() -> None:
    stated = " ".join((plan.__doc__ or "").split())
    for trial in TRIALS:
        assert trial.name in stated
        assert f"{trial.budget:g} × {trial.rounds}" in stated
    assert f"go on for {PRIMARY.furthest} rounds" in stated
    assert all(name in stated for name in STRATEGIES)
