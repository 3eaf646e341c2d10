"""Lock a protocol's version."""

from fieldloop.errors import Refused
from fieldloop.loop.audit.audit import require_complete_audit
from fieldloop.loop.protocol.in_force import is_locked, require_known_task, require_protocol_in_force
from fieldloop.loop.protocol.lint import lint_task
from fieldloop.loop.protocol.numbers import Numbers, show_protocol_numbers
from fieldloop.loop.protocol.versions import read_protocol_file, shelve_version
from fieldloop.loop.workspace import Workspace
from fieldloop.model.event import ProtocolLocked
from fieldloop.say import write_sentence
from fieldloop.say.refusals import write_refusal


def lock_protocol(workspace: Workspace, *, task: str = "") -> Numbers:
    """Lock the protocol's version; later changes need a new version.

    Its text and every number in force are stored, so the version can always be read and compared.

    Arguments:
        task: the task (default: the workspace's task)
    """
    require_known_task(workspace, task)
    require_complete_audit(workspace)
    rules = require_protocol_in_force(workspace, task)
    if errors := lint_task(workspace, task).errors:
        listed = [f"[{e.code}] {e.place}: {write_sentence(e.message)}" for e in errors]
        why = write_refusal(f"{rules.version_name} cannot be locked", listed, "See: fieldloop protocol lint")
        raise Refused(why, (e.message for e in errors))
    if not is_locked(workspace, rules):
        content = shelve_version(workspace, read_protocol_file(workspace, task))
        workspace.write(ProtocolLocked(rules.name, rules.version, rules.fingerprint, content))
    return show_protocol_numbers(workspace, task=task)
