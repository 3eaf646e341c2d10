"""Plain words: sentences belong to codes, and neither texts nor names use words that hide what is meant."""

import ast
import pathlib
import re
import tomllib

import pytest

from fieldloop.check import UNITS
from fieldloop.model.unit import get_singular_unit
from fieldloop.say.sentences import FIELD, FORMS, OPTIONAL, list_codes, list_room_codes

ROOT = pathlib.Path(__file__).parents[2]
NOT_YET: tuple[str, ...] = ()
"""Places whose language has not been put right yet. The list only shrinks."""

BANNED_WORDS = re.compile(
    r"\b(told|untold|nobody(?:'s)?|somebody(?:'s)?|whoever|whomever|hearsay|betimes"
    r"|stands? in the way|laid to|lay it to|held against|holds? against|cannot be told|said to be|spoken for"
    r"|speaks? for|speaks? against|is no (?!longer\b|more\b)[a-z]+|are no (?!longer\b|more\b)[a-z]+"
    r"|was no (?!longer\b|more\b)[a-z]+|in whatever company|bears? (?:the name|it out|out)|makes? nothing of)\b",
    re.IGNORECASE,
)
"""Each has a plain counterpart: estimated, stated, unassigned, anyone, blocks, caused by, compared with, is not a …"""

BANNED_NAMES = {"told", "said", "spoken", "unsaid", "nobody", "somebody", "tells", "spoke"}
SYSTEM_ACCOUNT = "nobody"
MOST_WORDS = 25


def places(*suffixes):
    bases = ("src", "robot", "bench", "docs")
    inside = [
        p for base in bases for p in (ROOT / base).rglob("*") if p.suffix in suffixes and "egg-info" not in str(p)
    ]
    found = inside + [p for p in ROOT.glob("*.md") if p.suffix in suffixes]
    return sorted(p for p in found if not str(p.relative_to(ROOT)).startswith(NOT_YET))


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", places(".py"), ids=named)
def test_texts_and_names_in_code_are_plain(path):
    tree = ast.parse(path.read_text())
    wrong = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != SYSTEM_ACCOUNT:
            wrong += [(node.lineno, found[0]) for found in BANNED_WORDS.finditer(node.value)]
        for name in names_in(node):
            if name.strip("_") in BANNED_NAMES:
                wrong.append((getattr(node, "lineno", 0), name))
    for number, line in enumerate(path.read_text().splitlines(), 1):
        _, mark, comment = line.partition("# ")
        wrong += [(number, found[0]) for found in BANNED_WORDS.finditer(comment if mark else "")]
    assert not wrong


def names_in(node):
    """What a piece of code calls things: functions, classes, parameters and variables."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []


VERBS = frozenset(
    re.findall(
        r"[a-z]+",
        """
    accept add adjudicate adjust advance advise align allocate alternate answer apply are ask assemble assign
    attempt audit average begins benchmark bind bisect blank bootstrap borrow bound build cache calibrate call
    can cast check choose clamp classify clean clip close collect compare compile complete compress compute
    concatenate concerns connect convert copy correct correlate could count create cut deal decide declare
    decode decodes decompress define delay delimit demand demonstrate dequantise describe detect diagnose
    divide do does draft draw drop encode enrol ensure escape estimate evaluate examine exceeds execute exit
    expect explain explore export expose extract fill filter find fingerprint fit fits flag flatten fold
    forecast forget fork format freeze fsync gather get give grant group guess halve has hash have hide hold
    holds identify ignore import imprint improve index infer inflate ingest init insert interpolate invert is
    issue iterate join judge keep label lacks lay leave limit link lint list load locate lock log look looks
    make map mark mask match matches measure mentions merge migrate minimise mirror monitor mount move must
    name names nest normalise note number observe open order overlay override pack pair pairs parse paste
    perform permute pick place plan pluralise predict prefix prepare prevents print probe project propose put
    qualify quantise quote raise rank read reads record recount redraw reduce refine refuse register reject
    relabel release remember remove rename render renew renumber reopen repeat replace replay report require
    resample reset reshape resolve restamp restore return revoke roll rotate round run salvage save sample
    scale scan schedule score seal search seize select send serialise serve set settle shelve shift shorten
    show shrink simulate sketch solve sort spell split spot stack stamp start steer step stop store strip
    subsample subtract suggest sum summarise survey take takes test trace track train transform translate trim
    truncate try turn undistort undo unpack unwrap upcast upgrade use uses verify wait walk warn was watch
    weigh withdraw wrap write
    """,
    )
)
"""Words with which the name of a function begins; a word that is missing is added here, after a second look."""

OTHER_NAMES = {
    "main", "demo", "slerp", "tag", "percent", "percent_range", "to_plain", "from_plain", "default_protocol",
    "default_operations", "angle_between", "stratum_in_words", "stratum_text_in_words", "levels_in_words",
    "rotation_from_quaternion", "rotation_from_vector", "quaternion_from_rotation", "vector_from_rotation",
    "pose_from_matrix", "matrix_from_pose", "type_defines_meaning", "_function", "_clocks_cover_rows",
    "_clock_fits_slot", "_definition_fits", "_rows_contradict", "_next_readable_row", "_to_ordered_ints",
    "_from_ordered_int", "_to_inline_svg",
}  # fmt: skip
"""Names known from mathematics, HTML and Python, conversions `a_from_b`, and statements that are true or false."""

LAWS_AND_NOT_YET = ("src/fieldloop/testing/", "src/fieldloop/diagnose/")
"""Laws of a contract are named by sentences; the names of the diagnosis have not been put right yet."""

NAMED_BY_VERBS = [
    p for p in places(".py") if named(p).startswith(("src/", "robot/")) and not named(p).startswith(LAWS_AND_NOT_YET)
]


def functions_of_modules(path):
    body = ast.parse(path.read_text()).body
    return [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


@pytest.mark.parametrize("path", NAMED_BY_VERBS, ids=named)
def test_a_function_is_named_by_what_it_does(path):
    names = {node.name for node in functions_of_modules(path) if not node.name.startswith("__")} - OTHER_NAMES
    assert not {name for name in names if name.strip("_").split("_")[0] not in VERBS}


def reasons(content, place=""):
    for name, value in content.items():
        if isinstance(value, dict):
            yield from reasons(value, f"{place}.{name}".strip("."))
        elif name == "why" and isinstance(value, str):
            yield place, value


LEAST_WORDS = 4
TOML_WITH_REASONS = [p for p in places(".toml") if named(p).startswith("src/") and "why" in p.read_text()]


@pytest.mark.parametrize("path", TOML_WITH_REASONS, ids=named)
def test_a_reason_is_a_whole_sentence(path):
    found = dict(reasons(tomllib.loads(path.read_text())))
    templates = {place for place, why in found.items() if why == "State the reason."}
    unclear = {
        place: why
        for place, why in found.items()
        if place not in templates and (len(why.split()) < LEAST_WORDS or not why.endswith(".") or "…" in why)
    }
    assert not unclear


@pytest.mark.parametrize("path", places(".md", ".toml", ".js", ".css"), ids=named)
def test_other_texts_are_plain(path):
    lines = path.read_text().splitlines()
    assert not [(k, found[0]) for k, line in enumerate(lines, 1) for found in BANNED_WORDS.finditer(line)]


@pytest.mark.parametrize(("code", "text"), list_codes().items(), ids=list(list_codes()))
def test_a_sentence_is_short_and_plain(code, text):
    assert re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+", code), "a code is room.what_happened"
    assert not BANNED_WORDS.search(text)
    # both ways of an optional part must be short; a field counts as one word
    filled = FIELD.sub("x", OPTIONAL.sub(lambda part: part[1], text))
    for one in re.split(r"(?<=[.?!])\s+", filled):
        assert len(one.split()) <= MOST_WORDS, one


AGREES = re.compile(
    r"\{(\w+)(?::whole)?\} of \{\w+:#[^}]+\} (have|do|hold|were|lack|show|state|need|differ|name|fail)\b"
    r"|\{\w+:#[^}]+\} (have|do|hold|are|were|lack|show|state|need|differ|wait|get|cover|exceed)\b"
)
"""A plural verb behind a count that may be one; `{n:has/have}` agrees."""
TOGETHER = re.compile(r"\b(?:All|None of|all|none of|of)$")


@pytest.mark.parametrize("text", list_codes().values(), ids=list(list_codes()))
def test_a_verb_agrees_with_its_count(text):
    for found in AGREES.finditer(text):
        # 'All 3 attempts have …' and '2 of 9 episodes are …' keep their plural
        assert TOGETHER.search(text[: found.start()].rstrip()), found[0]


@pytest.mark.parametrize("text", list_codes().values(), ids=list(list_codes()))
def test_a_sentence_uses_only_named_forms(text):
    forms = {form for _, form in FIELD.findall(text) if form and not form.startswith("#")}
    assert not {form for form in forms if form not in FORMS and not re.fullmatch(r"[^/.:+%]+/[^/.:+%]+", form)}


def test_every_form_is_used():
    used = {form for text in list_codes().values() for _, form in FIELD.findall(text)}
    assert not FORMS.keys() - used


def test_every_counted_unit_has_a_singular():
    counted = {unit for unit in UNITS.values() if unit.endswith("s") and len(unit) > len("ms") and "/" not in unit}
    assert not {unit for unit in counted if not unit.startswith("share ") and get_singular_unit(unit) == unit}


def used_codes():
    """Every `note("code", …)` in the source, with the names of its numbers (None where they are not written out)."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "note" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    names = {keyword.arg for keyword in node.keywords} - {"about"}
                    yield first.value, None if None in names else names, f"{named(path)}:{node.lineno}"


def strings_in_source():
    trees = (ast.parse(path.read_text()) for path in sorted((ROOT / "src").rglob("*.py")))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


SUBJECT_FIELDS = {"subject", "stream", "other", "robot", "rig", "episode", "aspect"}


def test_every_code_has_a_sentence_and_every_sentence_its_numbers():
    known = list_codes()
    for code, given, place in used_codes():
        if place.startswith("src/fieldloop/model/note.py"):
            continue  # examples
        assert code in known or code == "as_written", f"{place}: no sentence for {code}"
        if given is not None and code in known:
            asked = {name for name, _ in FIELD.findall(OPTIONAL.sub("", known[code]))} - SUBJECT_FIELDS
            assert asked <= given, f"{place}: {code} lacks {sorted(asked - given)}"


def test_every_sentence_is_used():
    written = strings_in_source()  # advice and what was measured are keyed by the name of a check
    assert not [code for code in list_codes() if code.removeprefix("advice.").removeprefix("measured.") not in written]


def test_every_check_names_what_it_measured():
    assert set(list_room_codes("measured")) == {f"measured.{name}" for name in UNITS}


SHOWN = ("api", "cli", "doors", "loop", "python_api", "report", "ui")
"""Packages that may use `say`, so none of them formats a number itself."""
NUMBER_FORMAT = re.compile(r"[,.\d]*[gf%e]|,|,?\.\{\}[gf%]|\+.*")
NOT_FOR_READING = {
    "src/fieldloop/ui/components/bars.py": "lengths in CSS",
    "src/fieldloop/ui/components/clock.py": "lengths in CSS",
    "src/fieldloop/ui/components/phases.py": "lengths in CSS",
    "src/fieldloop/ui/components/charts.py": "places in SVG",
    "src/fieldloop/report/bars.py": "places in SVG",
    "src/fieldloop/report/datasheet_drawings.py": "places in SVG",
    "src/fieldloop/report/gate/scene_drawing.py": "places in SVG",
    "src/fieldloop/ui/findings.py": "an address of a page",
    "src/fieldloop/report/check/json_form.py": "an address of a page",
    "src/fieldloop/loop/data/moment.py": "the name of a file",
}


def number_formats(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            form = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.format_spec.values)
            if NUMBER_FORMAT.fullmatch(form):
                yield node.lineno, form


@pytest.mark.parametrize("package", SHOWN)
def test_numbers_for_people_are_written_by_say(package):
    paths = {named(path): path for path in sorted((ROOT / "src/fieldloop" / package).rglob("*.py"))}
    found = {name: formats for name, path in paths.items() if (formats := list(number_formats(path)))}
    assert not found.keys() - NOT_FOR_READING.keys(), found
    assert {name for name in NOT_FOR_READING if f"/{package}/" in name} <= found.keys(), "excused, but not needed"
