"""Turn the words of a command into a function's arguments, with a parser built from its signature."""

import argparse
import os
from collections.abc import Collection, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NoReturn

from fieldloop.doors.parameters import Ask, Parameter
from fieldloop.errors import BadInput, UnknownChoice, UnknownName
from fieldloop.loop.catalogue import COMMANDS, Needs

SEVERAL_WORDS = ("set_", "where")
"""Options that take several words at once: --set site=hall-2 operator=anna."""
FACT_SIGN = "="
"""Every fact has it; other words after such an option are arguments of the command."""
SAME_PERSON = ("annotator", "author")
"""Two words for the person who labels: a command that has one of them takes the other, too."""
OUT = ("out", "output", "o", "to-file")
"""Words for the option that other programs write a file by."""
WORKSPACE_VARIABLE = "FIELDLOOP_WORKSPACE"


class Parser(argparse.ArgumentParser):
    """An argument parser that raises an error instead of exiting, and suggests what was probably meant."""

    def error(self, message: str) -> NoReturn:
        """Report what was wrong and how the command is used."""
        usage = " ".join(self.format_usage().split()).removeprefix("usage: ")
        raise BadInput(f"{message[:1].upper()}{message[1:]}.\nUsage: {usage}")

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse all words; a word that is left over is misspelt."""
        self._refuse_options_for_places(arguments)
        known, left = self.parse_known_args(move_arguments_before_facts(arguments))
        if left:
            raise self._make_unknown_word_error(left[0])
        return known

    def _make_unknown_word_error(self, word: str) -> BadInput:
        command = self.prog.partition(" ")[2]
        if word.startswith("-"):
            return UnknownName(f"option of `{self.prog}`", word.partition("=")[0], self._option_string_actions)
        verbs = [c.removeprefix(f"{command} ") for c in COMMANDS if c.startswith(f"{command} ")]
        if verbs:
            return UnknownName(f"verb of `{self.prog}`", word, verbs)
        return BadInput(f"`{self.prog}` takes no argument {word!r}. See `{self.prog} --help`.")

    def _refuse_options_for_places(self, words: Sequence[str]) -> None:
        """Refuse --out, or an argument's own name as an option: other options would be suggested for it."""
        places = [str(one.metavar or one.dest).lower() for one in self._actions if not one.option_strings]
        case = COMMANDS.get(self.prog.partition(" ")[2])
        written = [place for place in places if case and place in case.writes]
        for word in words[: words.index("--") if "--" in words else None]:
            option = word.partition("=")[0]
            if not option.startswith("-") or any(known.startswith(option) for known in self._option_string_actions):
                continue
            name = option.lstrip("-")
            if name in places or (name in OUT and len(written) == 1):
                place = (name if name in places else written[0]).upper()
                self.error(f"{option} is not an option of `{self.prog}`: write the same as {place}, without an option")


def move_arguments_before_facts(words: Sequence[str]) -> list[str]:
    """Move words that follow facts and are none before the option, where they count as arguments.

    >>> move_arguments_before_facts(["a.log", "--set", "site=hall-2", "operator=anna", "b.log", "--json"])
    ['a.log', 'b.log', '--set', 'site=hall-2', 'operator=anna', '--json']

    The first word after the option stays: it is a fact, or is refused as one.
    """
    flags = {f"--{name.strip('_')}" for name in SEVERAL_WORDS}
    end = words.index("--") if "--" in words else len(words)
    ordered: list[str] = []
    first: int | None = None  # where the first such option stands
    reads_facts = False
    for place, word in enumerate(words[:end]):
        if word.startswith("-"):
            reads_facts = word in flags
            first = len(ordered) if first is None and reads_facts else first
        elif first is not None and reads_facts and words[place - 1] not in flags and FACT_SIGN not in word:
            ordered.insert(first, word)
            first += 1
            continue
        ordered.append(word)
    return [*ordered, *words[end:]]


def build_parser(command: str, summary: str, parameters: Ask, needs: Needs, extra_help: str = "") -> Parser:
    """Build the parser of one command."""
    parser = Parser(
        prog=f"fieldloop {command}",
        description=summary,
        epilog=extra_help or None,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = {parameter.name for parameter in parameters.parameters}
    for parameter in parameters.parameters:
        _add_parameter(parser, parameter, names)
    add_common_options(parser, needs)
    return parser


def add_common_options(parser: argparse.ArgumentParser, needs: Needs) -> None:
    """Add what every command takes."""
    where = {
        Needs.WORKSPACE: f"the workspace to work on (default: the current folder, or {WORKSPACE_VARIABLE})",
        Needs.MAYBE: "workspace to take limits from (default: the current folder, if it is one)",
        Needs.NOTHING: "not needed by this command",
    }[needs]
    group = parser.add_argument_group("every command")
    group.add_argument("--workspace", type=Path, default=None, metavar="DIR", help=where)
    group.add_argument("--json", action="store_true", help="print JSON instead of text")
    group.add_argument("--debug", action="store_true", help="show where an unexpected error came from")


def get_argument_values(parameters: Ask, parsed: argparse.Namespace) -> dict[str, Any]:
    """Pick the function's own arguments out, repeatable ones as tuples."""
    values = {p.name: getattr(parsed, _get_dest_name(p)) for p in parameters.parameters}
    return {p.name: tuple(values[p.name] or ()) if p.repeatable else values[p.name] for p in parameters.parameters}


def get_workspace_folder(parsed: argparse.Namespace) -> tuple[Path, bool]:
    """Return the folder to work in, and whether the user named it."""
    if parsed.workspace is not None:
        return parsed.workspace, True
    named = os.environ.get(WORKSPACE_VARIABLE, "")
    return (Path(named), True) if named else (Path(), False)


def _get_dest_name(parameter: Parameter) -> str:
    return f"arg_{parameter.name}"  # so that a use case may have a parameter called `json`


def _find_other_flags(parameter: Parameter, names: Collection[str]) -> list[str]:
    """Return the other words for an option, where the command does not use them for something else."""
    return [f"--{word}" for word in SAME_PERSON if parameter.name in SAME_PERSON and word not in names]


def _add_parameter(parser: argparse.ArgumentParser, parameter: Parameter, names: Collection[str]) -> None:
    if parameter.positional and parameter.kind is not bool:
        _add_positional(parser, parameter)
    elif parameter.kind is bool:
        _add_flag(parser, parameter)
    else:
        _add_option(parser, parameter, _find_other_flags(parameter, names))


def _add_positional(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    counts = {(True, True): "+", (True, False): "*", (False, True): None, (False, False): "?"}
    parser.add_argument(
        _get_dest_name(parameter),
        nargs=counts[parameter.repeatable, parameter.required],
        metavar=_get_typed_name(parameter),
        default=None if parameter.required else parameter.default,
        type=_make_value_reader(parameter),
        help=_write_help(parameter),
    )


def _add_option(parser: argparse.ArgumentParser, parameter: Parameter, other_flags: Sequence[str]) -> None:
    several = parameter.name in SEVERAL_WORDS
    parser.add_argument(
        get_flag(parameter),
        *other_flags,
        dest=_get_dest_name(parameter),
        nargs="+" if several else None,
        # append would add to the default, which the first value given must replace
        action=("extend" if several else "append") if parameter.repeatable else "store",
        default=None if parameter.required or parameter.repeatable else parameter.default,
        required=parameter.required,
        type=_make_value_reader(parameter),
        metavar="{" + ",".join(parameter.choices) + "}" if parameter.choices else _get_metavar(parameter),
        help=_write_help(parameter),
    )


def _add_flag(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    dest, text = _get_dest_name(parameter), parameter.help.replace("%", "%%")
    if parameter.may_be_none:
        parser.add_argument(
            get_flag(parameter), dest=dest, action=argparse.BooleanOptionalAction, default=None, help=text
        )
    elif parameter.default is True:
        parser.add_argument(get_flag(parameter), dest=dest, action="store_false", help=text)
    else:
        parser.add_argument(get_flag(parameter), dest=dest, action="store_true", help=text)


def get_flag(parameter: Parameter) -> str:
    """Return the option of a parameter as a user types it; a flag that is on by default is switched off by --no-."""
    switched_off = parameter.kind is bool and parameter.default is True and not parameter.may_be_none
    return ("--no-" if switched_off else "--") + parameter.name.strip("_").replace("_", "-")


def _get_typed_name(parameter: Parameter) -> str:
    """Return how help and messages name a parameter: PATHS, or --to."""
    return parameter.name.replace("_", "-").upper() if parameter.positional else get_flag(parameter)


def _get_metavar(parameter: Parameter) -> str:
    return {int: "N", float: "X", Path: "PATH"}.get(parameter.kind, "TEXT")


def _write_help(parameter: Parameter) -> str:
    silent = parameter.required or parameter.default in (None, "", (), False)
    default = "" if silent else f"default: {_format_default(parameter.default)}"
    stated = parameter.positional or "(repeatable)" in parameter.help
    again = "repeatable" if parameter.repeatable and not stated else ""
    notes = "; ".join(note for note in (again, default) if note)
    text = f"{parameter.help} ({notes})" if notes and parameter.help else parameter.help or notes
    return text.replace("%", "%%")


def _format_default(value: Any) -> str:
    return str(value.value if isinstance(value, Enum) else value)


def _make_value_reader(parameter: Parameter) -> Any:
    def read_value(text: str) -> Any:
        if parameter.choices:
            if text not in parameter.choices:
                raise UnknownChoice(_get_typed_name(parameter), text, parameter.choices)
            return parameter.kind(text)
        try:
            return parameter.kind(text)
        except ValueError:
            word = {int: "a whole number", float: "a number"}.get(parameter.kind, parameter.kind.__name__)
            raise BadInput(f"{parameter.name} must be {word}, not {text!r}.") from None

    return read_value
