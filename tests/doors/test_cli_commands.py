"""The command line from outside: help at once, clean pipes, exit codes that scripts can rely on."""

import dataclasses
import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import dataclass

import pytest
from tests.doors.story import story_workspace

from fieldloop import __version__
from fieldloop.cli import entry, main, perform
from fieldloop.cli.choose import choose_command
from fieldloop.cli.render import show_result
from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import make_table
from fieldloop.cli.up import bind_socket
from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.catalogue import ANYONE, COMMANDS, Needs, UseCase
from fieldloop.loop.workspace import Track, track_silently
from fieldloop.model.alarm import Watch
from fieldloop.model.condition import Stratum
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import Subject, note

RUN = [sys.executable, "-c", "import sys; from fieldloop.cli import main; sys.exit(main())"]
HEAVY = (
    "scipy",
    "sklearn",
    "pyarrow",
    "duckdb",
    "cv2",
    "av",
    "matplotlib",
    "sqlalchemy",
    "fastapi",
    "uvicorn",
    "onnxruntime",
    "rich",
)
ESCAPE = "\x1b"


@dataclass(frozen=True)
class Verdict:
    status: Status


@dataclass(frozen=True)
class Own:
    exit_ok: bool
    status: Status = Status.FAILED


def write_story_to(root):
    story_workspace(root).close()
    return root


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return write_story_to(tmp_path_factory.mktemp("cli") / "w")


def fieldloop(*words, **more):
    return subprocess.run([*RUN, *map(str, words)], capture_output=True, text=True, check=False, **more)


def test_help_loads_nothing_heavy():
    look = f"print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    probe = f"import sys; from fieldloop.cli import main; main(['--help']); {look}"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_help_lists_every_command_in_loop_order(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    places = [
        text.index(f"\n  {word} ")
        for word in ("audit", "plan", "ingest", "check", "release", "gate", "monitor", "diagnose", "incident")
    ]
    assert places == sorted(places)
    assert all(re.search(rf"\n  {command.split()[0]} ", text) for command in COMMANDS)
    assert [text.index(f"\n{stage}\n") for stage in ("Prepare", "Data", "Ship", "Run", "House")]
    assert ESCAPE not in text


def test_one_command_explains_itself(capsys):
    assert main(["plan", "--help"]) == 0
    text = capsys.readouterr().out
    assert "--budget N" in text
    assert "fieldloop plan show" in text


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"fieldloop {__version__}\n"


@pytest.mark.parametrize(
    ("words", "command", "rest"),
    [
        (["plan", "show"], "plan show", ()),
        (["plan", "--budget", "4"], "plan", ("--budget", "4")),
        (["--workspace", "w", "--json", "plan", "show", "x"], "plan show", ("--workspace", "w", "--json", "x")),
        (["help", "plan", "show"], "plan show", ("--help",)),
    ],
)
def test_the_second_word_chooses_a_verb_where_there_is_one(words, command, rest):
    chosen = choose_command(words)
    assert (chosen.command, chosen.words) == (command, rest)


@pytest.mark.parametrize(
    ("words", "said"), [(["plna"], "'plan'"), (["--jsno", "plan"], "'--json'"), (["gat"], "'gate'")]
)
def test_misspelt_commands_and_options_are_suggested(words, said, capsys):
    assert main(words) == 2
    assert f"Did you mean {said}?" in capsys.readouterr().err


def test_no_workspace_is_reported_and_could_not_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["home"]) == 2
    assert "fieldloop init" in capsys.readouterr().err
    assert main(["home", "--json"]) == 2
    told = json.loads(capsys.readouterr().err)
    assert told["error"] == "WorkspaceError"


def test_a_refused_session_lists_one_reason_per_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    at = ["--workspace", str(tmp_path / "w")]
    assert main(["init", str(tmp_path / "w")]) == 0
    assert main(["collect", "robot", "arm-1", "--model", "ur5", "--site", "lab", *at]) == 0
    assert main(["collect", "enrol", "op-1", *at]) == 0
    capsys.readouterr()
    assert main(["collect", "arm-1", "op-1", *at]) == 2
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == "fieldloop: No session on arm-1 now:"
    assert len(rest) > 1
    assert all(line.startswith("- ") for line in rest)
    assert main(["collect", "arm-1", "op-1", "--json", *at]) == 2
    refused = json.loads(capsys.readouterr().err)
    codes = [reason["code"] for reason in refused["reasons"]]
    assert (refused["error"], codes[-1]) == ("Refused", "collect.robot_not_calibrated")
    assert set(codes) == {"collect.item_not_done", "collect.robot_not_calibrated"}


def test_the_workspace_may_come_from_the_environment(workspace, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIELDLOOP_WORKSPACE", str(workspace))
    assert main(["home"]) == 0
    assert "Night shift drops items" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (Verdict(Status.PASSED), 0),
        (Verdict(Status.FAILED), 1),
        (Verdict(Status.ERRORED), 1),
        (Verdict(Status.CANNOT_TELL), 1),
        (Own(exit_ok=True), 0),
        (Own(exit_ok=False, status=Status.PASSED), 1),
        ("text", 0),
        ((Verdict(Status.FAILED),), 0),
        (None, 0),
    ],
)
def test_exit_codes_follow_from_the_result(result, code):
    assert entry.get_exit_code(result) == code


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (KeyboardInterrupt, 130, "Interrupted"),
        (ZeroDivisionError, 2, "this is a bug"),
        (OSError(28, "No space left on device", "out.hdf5"), 2, "No space left at out.hdf5"),
        (OSError(5, "Input/output error"), 2, "this is a bug"),
    ],
)
def test_an_unexpected_error_is_short(raised, code, said, capsys, monkeypatch):
    def breaks(*_):
        raise raised

    monkeypatch.setattr(perform, "perform_command", breaks)
    assert main(["home"]) == code
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err


def test_debug_shows_where_a_bug_is(capsys, monkeypatch):
    monkeypatch.setattr(perform, "perform_command", lambda *_: 1 / 0)
    assert main(["home", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_pipe_gets_whole_plain_lines(workspace):
    done = fieldloop("plan", "show", "--workspace", workspace, env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": "40"})
    assert done.returncode == 0, done.stderr
    assert ESCAPE not in done.stdout
    assert "…" not in done.stdout
    assert "bin=near_empty,lighting=bright,site=leipzig-b,tier=long_tail" in done.stdout
    assert all(line == line.rstrip() for line in done.stdout.splitlines())


@pytest.mark.parametrize(("more", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_a_terminal_gets_colour_unless_switched_off(workspace, more, coloured):
    control, terminal = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm-256color"} | more
    running = subprocess.Popen(
        [*RUN, "home", "--workspace", str(workspace)], stdout=terminal, stderr=subprocess.DEVNULL, env=env
    )
    os.close(terminal)
    seen = b""
    while True:
        try:
            part = os.read(control, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    assert running.wait() == 0
    os.close(control)
    assert (ESCAPE.encode() in seen) is coloured


def test_a_reader_that_leaves_early_is_no_error(workspace):
    line = f"{' '.join(RUN[:2])} '{RUN[2]}' protocol --workspace {workspace} | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


def test_json_carries_its_schema_and_iso_times(workspace, capsys):
    assert main(["home", "--workspace", str(workspace), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["schema"] == "home/1"
    assert shown["success"]["points"][-1]["end"].endswith("Z")
    assert [stage["key"] for stage in shown["stages"]] == [
        "map",
        "plan",
        "collect",
        "check",
        "annotate",
        "release",
        "gate",
        "serve",
        "monitor",
        "diagnose",
    ]


def test_a_use_case_that_tracks_gets_the_doors_progress(capsys):
    def add(count: int, *, track: Track = track_silently) -> str:
        """Add numbers up."""
        return str(sum(track(range(count), "adding", count)))

    assert perform.call_use_case(UseCase("add", "", ANYONE, needs=Needs.NOTHING), add, ["4"]) == "6"
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("6\n", "")  # short work says nothing on the way


def printed(result, capsys):
    show_result(result, Screen())
    return capsys.readouterr().out


def test_a_report_is_printed_worst_first(capsys):
    good = Finding("a.good", Subject("camera"), Status.PASSED, 1.0, None, 5.0, "ms")
    bad = Finding("z.bad", Subject("camera"), Status.FAILED, 9.0, None, 5.0, "ms")
    unsure = Finding(
        "m.unsure", Subject("joints"), Status.CANNOT_TELL, None, 1.0, 2.0, "N", reason=note("check.nothing_gripped")
    )
    text = printed(EpisodeReport("ab" * 32, "pick-1", Status.FAILED, (good, unsure, bad)), capsys)
    assert text.index("✗ failed") < text.index("✗ z.bad: camera") < text.index("▲ m.unsure: joints")
    assert "at most 5 ms" in text
    assert "1 answer passed" in text
    assert "a.good" not in text


def test_a_rule_is_no_wider_than_a_screen_though_its_rows_are_whole(capsys):
    long = "word " * 400
    screen = Screen()
    screen.print(make_table(("id", "what"), [("a", long)]))
    lines = capsys.readouterr().out.splitlines()
    assert [len(line) for line in lines if set(line) == {"─"}] == [100]
    assert any(long.strip() in line for line in lines)


@dataclass(frozen=True)
class Thing:
    id: str
    stratum: Stratum
    share: float
    at_ns: int
    none: str | None = None


def test_any_noun_can_be_printed(capsys):
    thing = Thing("t1", Stratum.of(lighting="dim"), 0.123456, 10**18)
    assert "lighting=dim" in printed(thing, capsys)
    many = printed((thing, dataclasses.replace(thing, id="t2")), capsys)
    assert "2001-09-09 01:46:40 UTC" in many
    assert "none" not in many  # a column that says nothing is left out
    assert printed((), capsys) == "Nothing yet.\n"
    assert printed("[bold]as it is[/bold]", capsys) == "[bold]as it is[/bold]\n"
    assert json.loads(printed({"a": thing}, capsys))["a"]["id"] == "t1"


def test_a_family_without_its_bare_command_says_its_verbs(monkeypatch):
    monkeypatch.setitem(COMMANDS, "odd verb", COMMANDS["home"])
    with pytest.raises(BadInput, match=r"needs one of these verbs: verb\. Did you mean 'verb'"):
        choose_command(["odd", "verv"])
    with pytest.raises(UnknownName):
        choose_command(["oddd"])


def test_a_taken_port_is_replaced():
    with bind_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with bind_socket("127.0.0.1", port) as other:
            assert other.getsockname()[1] != port
    with pytest.raises(BadInput, match="Cannot listen"):
        bind_socket("no.such.host.invalid", 8080)


@dataclass(frozen=True)
class Story:
    seed: int


def test_the_demo_walks_and_ends_with_no_serve(tmp_path, capsys, monkeypatch):
    walked = []

    def walk(folder, *, seed, track, tell):
        walked.append((folder, seed, list(track([1, 2], "walking", 2))))
        tell("The floor lies in the dark.")
        return Story(seed)

    monkeypatch.setattr("fieldloop.loop.floor.demo.demo", walk)
    assert main(["demo", "--no-serve", "--seed", "4", "--workspace", str(tmp_path / "d")]) == 0
    assert walked == [(tmp_path / "d", 4, [1, 2])]
    assert "The floor lies in the dark." in capsys.readouterr().out
    assert main(["demo", "--no-serve", "--json", "--workspace", str(tmp_path / "d")]) == 0
    assert json.loads(capsys.readouterr().out) == {"schema": "story/1", "seed": 100}


def test_a_verb_that_is_also_a_folder_here_is_asked_about(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert choose_command(["ingest", "history"]).command == "ingest history"
    (tmp_path / "history").mkdir()
    with pytest.raises(BadInput, match=r"\./history"):
        choose_command(["ingest", "history"])
    assert choose_command(["ingest", "./history"]).words == ("./history",)


@dataclass(frozen=True)
class Held:
    watch: Watch
    name: str = "floor"


def test_a_noun_with_a_renderer_inside_another_is_printed_by_it(capsys):
    inside = printed(Held(Watch((), (), ())), capsys)
    alone = printed(Watch((), (), ()), capsys)
    assert inside == f"name  floor\n\nWatch\n{alone}"
