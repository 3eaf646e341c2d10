"""Talk to running policy servers: what they serve, how fast, and which version is in force."""

import http.client
import json
import os
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fieldloop.errors import BadInput, Refused, UnknownName
from fieldloop.loop.run.policies import find_policy
from fieldloop.loop.workspace import Workspace
from fieldloop.model.serving import Moved, Serving

ASK_S = 1.0
"""How long a server may take to list its versions; loading one may take as long as its rehearsal."""

TOKEN = "FIELDLOOP_TOKEN"  # noqa: S105 - the name of the variable
"""The environment variable that holds a token for servers beyond loopback, where none is given."""


@dataclass(frozen=True, slots=True)
class ServedVersion:
    """One version on a server; latencies are those of recent calls, and the p99 of its admission with the limit."""

    policy: str
    name: str
    in_force: bool
    robots: int
    healthy: bool | None
    calls: int
    p50_ms: float | None
    p99_ms: float | None
    admission_p99_ms: float | None
    limit_ms: float | None
    suspended: str


@dataclass(frozen=True, slots=True)
class ServerShown:
    """A server that was started and not stopped; without an answer it was killed or cannot be reached.

    `refused` is why it does not show its versions, as where it wants a token.
    """

    address: str
    answers: bool
    last_change: Moved
    changed_ns: int
    reason: str
    versions: tuple[ServedVersion, ...] = ()
    refused: str = ""


def list_served_policies(workspace: Workspace) -> tuple[ServerShown, ...]:
    """Show the running policy servers: versions, which is in force, robots and latency.

    A server on another address than loopback gets the token of the environment variable FIELDLOOP_TOKEN.
    """
    return tuple(_ask_server(serving) for serving in _find_running(workspace))


def load_served_policy(
    workspace: Workspace, policy: str, *, override: str = "", server: str = "", token: str = ""
) -> ServerShown:
    """Load a version on a running server, beside the one in force; it is measured first.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        override: reason to load a version that did not pass its last gate; recorded with the user
        server: the server's address, if several run
        token: a token for a server beyond loopback (default: FIELDLOOP_TOKEN)
    """
    body = {"policy": find_policy(workspace, policy).id, "override": override}
    return _ask_for_change(workspace, "/v1/policies", body, server, token)


def put_policy_in_force(
    workspace: Workspace, policy: str, *, reason: str = "", override: str = "", server: str = "", token: str = ""
) -> ServerShown:
    """Put a loaded version in force on a running server; episodes that run now end with theirs.

    Arguments:
        policy: the policy's id, a unique beginning of it, or its name
        reason: why, for the record
        override: reason to activate a version that robots would have to address differently
        server: the server's address, if several run
        token: a token for a server beyond loopback (default: FIELDLOOP_TOKEN)
    """
    chosen = find_policy(workspace, policy).id
    body = {"reason": reason, "override": override}
    return _ask_for_change(workspace, f"/v1/policies/{chosen}/activate", body, server, token)


def roll_back_served_policy(
    workspace: Workspace, *, reason: str = "", override: str = "", server: str = "", token: str = ""
) -> ServerShown:
    """Put the version before in force on a running server; no socket is closed.

    Arguments:
        reason: why, for the record
        override: reason to change the episodes that run now as well, at once
        server: the server's address, if several run
        token: a token for a server beyond loopback (default: FIELDLOOP_TOKEN)
    """
    return _ask_for_change(workspace, "/v1/back", {"reason": reason, "override": override}, server, token)


def _find_running(workspace: Workspace) -> list[Serving]:
    """Return the newest run at each address that was not stopped."""
    newest = {serving.address: serving for serving in reversed(workspace.find_all(Serving))}
    return [serving for serving in reversed(newest.values()) if serving.moved is not Moved.STOPPED]


def _choose_server(workspace: Workspace, server: str) -> Serving:
    running = {serving.address: serving for serving in _find_running(workspace)}
    if not running:
        raise Refused("No policy server runs. Start one: fieldloop serve POLICY")
    if server:
        if server not in running:
            raise UnknownName("policy server", server, running, ", ".join(running))
        return running[server]
    if len(running) > 1:  # one that was killed is still on record
        running = {address: each for address, each in running.items() if _ask_server(each).answers} or running
    if len(running) > 1:
        raise BadInput(f"Several servers run: {', '.join(running)}. Choose one with --server.")
    return next(iter(running.values()))


def _ask_for_change(workspace: Workspace, path: str, body: dict[str, str], server: str, token: str) -> ServerShown:
    serving = _choose_server(workspace, server)
    longest_s = ASK_S + 2 * workspace.operations["serve"].number("admission_s")
    sent = {**body, "on_behalf_of": workspace.actor.id}
    answer = _send_request(serving.address, "POST", path, longest_s, sent, token)
    if answer is None:
        raise Refused(f"The server at {serving.address} does not answer. Start it again: fieldloop serve POLICY")
    changed = next(s for s in workspace.store.find(Serving, {"id": serving.id}))
    return _describe_server(changed, answer)


def _ask_server(serving: Serving) -> ServerShown:
    try:
        answer = _send_request(serving.address, "GET", "/v1/policies", ASK_S)
    except Refused as wrong:
        return replace(_show_server(serving, ()), refused=f"{wrong} Set it as {TOKEN}.")
    return _show_server(serving, None) if answer is None else _describe_server(serving, answer)


def _send_request(
    address: str, method: str, path: str, timeout_s: float, body: Mapping[str, str] | None = None, token: str = ""
) -> Mapping[str, Any] | None:
    """Return a server's answer, None without one; what it refuses is refused here too."""
    token = token or os.environ.get(TOKEN, "")
    url = urllib.parse.urlsplit(address)
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    line = http.client.HTTPConnection(_choose_host(url.hostname), url.port, timeout=timeout_s)
    try:
        line.request(method, path, None if body is None else json.dumps(body), headers)
        response = line.getresponse()
        answer: Any = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        line.close()
    if response.status != http.client.OK:
        raise Refused(str(answer.get("detail", f"The server answered {response.status}.")))
    return dict(answer)


def _choose_host(host: str | None) -> str:
    """Return where a server that listens on every address is reached from this machine."""
    return "127.0.0.1" if host in (None, "0.0.0.0", "::") else host or ""  # noqa: S104 - not listened on here


def _describe_server(serving: Serving, answer: Mapping[str, Any]) -> ServerShown:
    rows = [_describe_version(row) for row in answer.get("versions", ())]
    shown = _show_server(serving, tuple(rows))
    missing = answer.get("not_recorded", "")
    return replace(shown, last_change=Moved.ROLLED_BACK, reason=missing) if missing else shown


def _show_server(serving: Serving, versions: tuple[ServedVersion, ...] | None) -> ServerShown:
    answers = versions is not None
    return ServerShown(serving.address, answers, serving.moved, serving.at_ns, serving.reason, versions or ())


def _describe_version(row: Mapping[str, Any]) -> ServedVersion:
    calls, admission = row.get("real_calls") or {}, row.get("admission") or {}
    return ServedVersion(
        row["policy"], row["name"], row["in_force"], row["robots"], row["healthy"], calls.get("calls", 0),
        calls.get("p50_ms"), calls.get("p99_ms"), admission.get("p99_ms"), admission.get("limit_ms"),
        row["suspended"],
    )  # fmt: skip
