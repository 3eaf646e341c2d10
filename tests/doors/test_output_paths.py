"""Outputs are checked before the work begins, for every use case that writes one."""

import os

import pytest

from fieldloop.cli.perform import call_use_case, run_use_case
from fieldloop.doors.given_values import check_given_values
from fieldloop.doors.output_paths import check_output_paths
from fieldloop.doors.parameters import read_parameters
from fieldloop.errors import BadInput
from fieldloop.loop.catalogue import USE_CASES, find_use_case

WRITING = [(case, name) for case in USE_CASES for name in case.writes]
IDS = [f"{case.command} {name}" for case, name in WRITING]
FILES = [(case, name) for case, name in WRITING if name not in case.folders]


@pytest.fixture
def places(tmp_path):
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


@pytest.mark.parametrize(("case", "name"), WRITING, ids=IDS)
def test_what_cannot_be_written_is_refused_before_the_work(case, name, places):
    refused = [places / "file" / "x.html", places / "pipe", places / ("n" * 300)]
    if name in case.folders:
        refused.append(places / "file")
    else:
        refused += [places / "folder", places / "nope" / "x.html"]
    if name in case.new:
        refused.append(places / "file")
    for path in refused:
        with pytest.raises(BadInput, match=name):
            check_output_paths(case, {name: path})
    assert (places / "file").read_text() == "kept"


@pytest.mark.parametrize(("case", "name"), WRITING, ids=IDS)
def test_what_can_be_written_is_accepted_and_nothing_is_made(case, name, places):
    check_output_paths(case, {name: places / "new.html"})
    check_output_paths(case, {name: None})
    if name in case.folders:
        check_output_paths(case, {name: places / "folder"})
        check_output_paths(case, {name: places / "a" / "b"})
    elif name not in case.new:
        check_output_paths(case, {name: places / "file"})
    assert sorted(path.name for path in places.iterdir()) == ["file", "folder", "pipe"]


@pytest.mark.parametrize("case", {case.command: case for case, _ in WRITING}.values(), ids=lambda case: case.command)
def test_every_declared_output_is_a_parameter(case):
    named = {p.name for p in read_parameters(case.load()).parameters}
    assert {*case.folders, *case.new} <= {*case.writes} <= named


def test_a_relative_path_is_taken_from_the_current_folder(places, monkeypatch):
    monkeypatch.chdir(places)
    case = find_use_case("check")
    check_output_paths(case, {"html": type(places)("x.html"), "keep": type(places)("kept")})


@pytest.mark.parametrize("path", ["/nope/x.html", "/dev/null", "."])
def test_the_command_refuses_it_without_calling_the_use_case(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = find_use_case("check")
    called = []

    def check(workspace: object, paths: tuple[type(tmp_path), ...] = (), *, html: type(tmp_path) | None = None) -> None:
        called.append((workspace, paths, html))

    with pytest.raises(BadInput):
        call_use_case(case, check, ["log.mcap", "--html", path])
    assert not called


def test_values_are_checked_before_outputs(tmp_path):
    with pytest.raises(BadInput, match="more than 255 bytes"):
        run_use_case(find_use_case("check"), ["log.mcap", "--html", str(tmp_path / ("n" * 300))])


def test_a_large_table_may_be_pasted_and_a_larger_text_is_refused():
    ask = read_parameters(find_use_case("monitor paste").load())
    (name, *_) = [p.name for p in ask.parameters if p.kind is str]
    check_given_values(ask, {name: "x" * 20_000_000})
    with pytest.raises(BadInput, match=name):
        check_given_values(ask, {name: "x" * 20_000_001})
