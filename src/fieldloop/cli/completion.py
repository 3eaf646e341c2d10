"""`fieldloop completion SHELL`: a script that completes commands, verbs, options and choices in bash, zsh or fish.

The script asks `fieldloop completion --words …` for candidates. That imports no room and answers in about 0.1 s.
"""

from collections.abc import Sequence

from fieldloop.cli.arguments import flag_of
from fieldloop.cli.choose import OWN, WITH_VALUE
from fieldloop.doors.parameters import Parameter
from fieldloop.doors.signatures import read_source
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


def completion(words: Sequence[str]) -> str:
    """Return the script for a shell, or the candidates that such a script asks for."""
    if words and words[0] == ASK:
        return "\n".join(candidates(words[1:]))
    shells = ", ".join(SCRIPTS)
    if len(words) != 1 or words[0] in ("-h", "--help"):
        usage = 'For bash, add this line to ~/.bashrc: eval "$(fieldloop completion bash)"'
        if words and words[0] in ("-h", "--help"):
            return f"usage: fieldloop completion SHELL\n\n{OWN['completion']} Shells: {shells}.\n{usage}"
        raise BadInput(f"Name one shell: {shells}. {usage}")
    if words[0] not in SCRIPTS:
        raise UnknownName("shell", words[0], SCRIPTS, shells)
    return SCRIPTS[words[0]]


def candidates(words: Sequence[str]) -> list[str]:
    """Return what may stand in place of the last word; nothing means that the shell offers files.

    >>> candidates(["rel"]), candidates(["release", "di"])
    (['release'], ['diff'])
    >>> candidates(["convert", "in.bag", "out", "--t"]), candidates(["convert", "in.bag", "out", "--to", "le"])
    (['--to'], ['lerobot'])
    >>> candidates(["check", "recording.mc"])
    []
    """
    *before, partial = words or [""]
    command, rest = _split_command(before)
    if not command:
        found = sorted({known.partition(" ")[0] for known in COMMANDS} | set(OWN))
    elif rest and rest[-1] in WITH_VALUE:
        found = []
    else:
        found = _after_command(command, rest, partial)
    return [word for word in found if word.startswith(partial)]


def _split_command(words: Sequence[str]) -> tuple[str, list[str]]:
    """Split complete words into a command with its verb and what follows it."""
    if not words:
        return "", []
    first, *rest = words
    if rest and f"{first} {rest[0]}" in COMMANDS:
        return f"{first} {rest[0]}", rest[1:]
    return first, list(rest)


def _after_command(command: str, rest: Sequence[str], partial: str) -> list[str]:
    if command == "completion":
        return list(SCRIPTS)
    parameters = read_source(COMMANDS[command]).parameters if command in COMMANDS else ()
    options = {flag_of(p): p for p in parameters if not p.positional or p.kind is bool}
    if rest and (option := options.get(rest[-1])) and option.kind is not bool:
        return list(option.choices)
    if partial.startswith("-"):
        return [*options, *COMMON]
    verbs = [known.partition(" ")[2] for known in COMMANDS if known.startswith(f"{command} ")] if not rest else []
    return [*verbs, *_positional_choices(parameters)]


def _positional_choices(parameters: Sequence[Parameter]) -> list[str]:
    return [choice for p in parameters if p.positional for choice in p.choices]
