"""`fieldloop completion SHELL`: a script that completes commands, verbs, options and choices in bash, zsh or fish.

The script asks `fieldloop completion --words …` for candidates. That imports no room and answers in about 0.1 s.
"""

from collections.abc import Sequence

from fieldloop.cli.arguments import get_flag
from fieldloop.cli.choose import OWN, WITH_VALUE
from fieldloop.doors.parameters import Parameter
from fieldloop.doors.signatures import read_parameters_from_source
from fieldloop.errors import BadInput, UnknownName
from fieldloop.loop.catalogue import COMMANDS

ASK = "--words"
"""The option by which a shell's script asks for candidates."""
COMMON = ("--workspace", "--json", "--debug", "--help")
SCRIPTS = {
    "bash": """\
_fieldloop() {
    local IFS=$'\\n'
    COMPREPLY=($(fieldloop completion --words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _fieldloop fieldloop""",
    "zsh": """\
#compdef fieldloop
_fieldloop() {
    local -a found
    found=("${(@f)$(fieldloop completion --words "${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _fieldloop fieldloop""",
    "fish": """\
complete -c fieldloop -a '(fieldloop completion --words (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'""",
}


def complete_words(arguments: Sequence[str]) -> str:
    """Return the script for a shell, or the candidates that such a script asks for."""
    if arguments and arguments[0] == ASK:
        return "\n".join(list_candidates(arguments[1:]))
    shells = ", ".join(SCRIPTS)
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        usage = 'For bash, add this line to ~/.bashrc: eval "$(fieldloop completion bash)"'
        if arguments and arguments[0] in ("-h", "--help"):
            return f"usage: fieldloop completion SHELL\n\n{OWN['completion']} Shells: {shells}.\n{usage}"
        raise BadInput(f"Name one shell: {shells}. {usage}")
    if arguments[0] not in SCRIPTS:
        raise UnknownName("shell", arguments[0], SCRIPTS, shells)
    return SCRIPTS[arguments[0]]


def list_candidates(arguments: Sequence[str]) -> list[str]:
    """Return what may stand in place of the last word; nothing means that the shell offers files.

    >>> list_candidates(["rel"]), list_candidates(["release", "di"])
    (['release'], ['diff'])
    >>> (list_candidates(["convert", "in.bag", "out", "--t"]),
    ...  list_candidates(["convert", "in.bag", "out", "--to", "le"]))
    (['--to'], ['lerobot'])
    >>> list_candidates(["check", "recording.mc"])
    []
    """
    *before, partial = arguments or [""]
    command, rest = _split_command(before)
    if not command:
        found = sorted({known.partition(" ")[0] for known in COMMANDS} | set(OWN))
    elif rest and rest[-1] in WITH_VALUE:
        found = []
    else:
        found = _list_candidates_after_command(command, rest, partial)
    return [word for word in found if word.startswith(partial)]


def _split_command(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Split complete words into a command with its verb and what follows it."""
    if not arguments:
        return "", []
    first, *rest = arguments
    if rest and f"{first} {rest[0]}" in COMMANDS:
        return f"{first} {rest[0]}", rest[1:]
    return first, list(rest)


def _list_candidates_after_command(command: str, words_after_command: Sequence[str], partial_word: str) -> list[str]:
    if command == "completion":
        return list(SCRIPTS)
    parameters = read_parameters_from_source(COMMANDS[command]).parameters if command in COMMANDS else ()
    options = {get_flag(p): p for p in parameters if not p.positional or p.kind is bool}
    if words_after_command and (option := options.get(words_after_command[-1])) and option.kind is not bool:
        return list(option.choices)
    if partial_word.startswith("-"):
        return [*options, *COMMON]
    verbs = (
        [known.partition(" ")[2] for known in COMMANDS if known.startswith(f"{command} ")]
        if not words_after_command
        else []
    )
    return [*verbs, *_list_positional_choices(parameters)]


def _list_positional_choices(parameters: Sequence[Parameter]) -> list[str]:
    return [choice for p in parameters if p.positional for choice in p.choices]
