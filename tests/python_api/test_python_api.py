"""`import fieldloop as fl`: the commands as functions and methods, with results that show themselves."""

import inspect
import io
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

import fieldloop as fl
import fieldloop.check as checks
from fieldloop.cli.render import RENDERERS
from fieldloop.doors import naming
from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.catalogue import USE_CASES, Needs, find_use_case
from fieldloop.model.person import Role
from fieldloop.model.plan import Plan
from fieldloop.python_api import WITHOUT_WORKSPACE, display
from fieldloop.python_api.commands import make_command_function
from fieldloop.python_api.workspace import METHODS


def run(code, folder):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder)
    assert not done.returncode, done.stderr
    return done.stdout


def test_importing_loads_nothing_and_the_names_load_no_room(tmp_path):
    code = (
        "import fieldloop as fl, sys; fl.convert, fl.mapping, fl.read, fl.open, dir(fl); print('numpy' in sys.modules)"
    )
    assert run(code, tmp_path) == "False\n"


def test_a_room_of_the_same_name_stays_a_package_and_can_be_called(tmp_path):
    assert fl.check is checks
    assert callable(fl.check)
    assert checks.CHECKS
    with pytest.raises(fl.FieldloopError, match="no such file"):
        fl.check(tmp_path / "none.mcap")
    assert list(inspect.signature(fl.check).parameters)[:2] == ["paths", "html"]
    assert fl.check.__doc__.partition("\n")[0] == next(case.summary for case in USE_CASES if case.command == "check")


@pytest.mark.parametrize("first", ["fl.plan", "fieldloop.plan.rules", "fl.diagnose"])
def test_rooms_can_be_called_whatever_was_imported_first(first, tmp_path):
    module = first if first.startswith("fieldloop") else "fieldloop"
    code = (
        f"import fieldloop as fl, {module}\n{first}\nprint(callable(fl.plan), callable(fl.diagnose), fl.plan.__name__)"
    )
    assert run(code, tmp_path) == "True True fieldloop.plan\n"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        fl.chek  # noqa: B018 - asked for on purpose


@pytest.mark.parametrize("name", WITHOUT_WORKSPACE)
def test_a_function_needs_no_workspace_and_has_its_commands_help(name):
    case = next(case for case in USE_CASES if case.command == WITHOUT_WORKSPACE[name])
    function = getattr(fl.python_api, name)
    assert case.needs is not Needs.WORKSPACE
    assert function.__doc__.partition("\n")[0] == case.summary
    assert "workspace" not in inspect.signature(function).parameters


def test_a_workspace_has_every_command_as_a_method(tmp_path):
    with fl.init(tmp_path / "ws", name="floor 1") as ws:
        assert repr(ws) == f"<fieldloop workspace 'floor 1' in {tmp_path / 'ws'}>"
        assert set(METHODS) <= set(dir(ws))
        assert inspect.signature(ws.plan).parameters["budget"].default is None
        assert ws.ingest_list() == ()
        assert repr(ws.ingest_list()) == "Nothing yet."
        with pytest.raises(AttributeError, match="Did you mean 'plan_show'"):
            ws.plan_shwo()
    with fl.open(str(tmp_path / "ws")) as ws:
        assert ws.name == "floor 1"


def test_values_are_taken_as_people_write_them(tmp_path):
    with fl.init(tmp_path / "ws") as ws:
        assert ws.token("ann", role="engineer").role is Role.ENGINEER
        with pytest.raises(UnknownName, match="Did you mean 'engineer'"):
            ws.token("ann", role="enginer")
        with pytest.raises(TypeError, match="unexpected keyword argument 'bugdet'"):
            ws.plan(bugdet=3)
    file = tmp_path / "p.toml"
    file.write_text('[protocol]\nname = "pick"\nversion = 1\n')
    assert [one.file for one in fl.lint(str(file)).files] == [one.file for one in fl.lint([file]).files]


def test_a_result_is_written_as_the_command_does_and_draws_its_report(tmp_path):
    with pytest.raises(BadInput):
        fl.plan(tmp_path)
    fl.simulate_case(tmp_path / "case", preset="broad")
    plan = fl.plan(tmp_path / "case", budget=10)
    assert type(plan) is Plan
    assert plan.id in fl.text(plan)
    assert max(map(len, fl.text(plan).splitlines())) <= display.WIDTH
    shown = io.StringIO()
    plan._repr_pretty_(SimpleNamespace(text=shown.write), cycle=False)
    assert shown.getvalue() == fl.text(plan)
    assert repr(plan).startswith(f"Plan(id='{plan.id}'"), "logs, debuggers and tests see the dataclass"
    assert "__str__" not in vars(Plan)
    drawn = plan._repr_html_()
    assert drawn.startswith("<iframe srcdoc=")
    assert "What to collect next" in drawn
    assert "&lt;style&gt;" in drawn, "the page brings its style"
    assert "http" not in drawn.replace("http://www.w3.org", ""), "nothing is fetched"


def test_a_page_that_was_written_is_shown_as_it_is(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>with plots & all</p>")
    report = type("Reported", (), {"html": str(page)})()
    assert "with plots &amp;amp; all" not in display.draw_result_html(report)
    assert "&lt;p&gt;with plots" in display.draw_result_html(report)


def test_every_noun_with_a_report_has_a_renderer():
    assert set(display.PAGES) <= set(RENDERERS)


def test_json_of_a_result_is_the_commands(tmp_path):
    from fieldloop.doors.written import write_json_text

    with fl.init(tmp_path / "ws") as ws:
        assert json.loads(write_json_text(ws.home()))["schema"] == "home/1"


def test_errors_write_ids_as_the_command_line_does(monkeypatch):
    def refuse(workspace: object) -> None:
        raise BadInput(f"{workspace} {'ab' * 32}")

    case = find_use_case("plan show")
    monkeypatch.setattr(type(case), "load", lambda _: refuse)
    workspace = SimpleNamespace()
    monkeypatch.setattr(naming, "Names", lambda _: lambda _id: "")
    with pytest.raises(BadInput, match=r" abababababab$"):
        make_command_function(case, "show", workspace)()
