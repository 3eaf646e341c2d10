"""Access tokens with a role, for requests from other machines."""

import dataclasses
import hashlib
import secrets
from dataclasses import dataclass

from fieldloop.errors import BadInput, Refused
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import Actor, Duty, Role, Token
from fieldloop.model.person_event import TokenIssued

SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Issued:
    """A new token; the secret is shown once and not stored."""

    id: str
    actor: str
    role: Role
    secret: str


def issue_token(
    workspace: Workspace,
    name: str,
    *,
    role: Role = Role.OPERATOR,
    provider: str | None = None,
    duty: tuple[Duty, ...] = (),
) -> Issued:
    """Issue a token with a role; the secret is shown once.

    Arguments:
        name: a pseudonym, such as op-7 or arm-3
        role: the role of the token's holder
        provider: restrict the token to this provider's episodes
        duty: what the holder is responsible for, such as lead_annotator (repeatable)
    """
    if not name.strip():
        raise BadInput("A token needs a name, such as op-7 or arm-3.")
    secret = secrets.token_urlsafe(SECRET_BYTES)
    actor = Actor(name, role, tuple(duty), provider)
    token = Token(workspace.ids.new("token"), actor, _hash_secret(secret), workspace.clock())
    workspace.write(TokenIssued(token))
    return Issued(token.id, actor.id, role, secret)


def revoke_token(workspace: Workspace, token: str) -> Token:
    """Revoke a token; requests that carry it are refused from now on.

    Arguments:
        token: the token's id, or a unique beginning of it
    """
    revoked = dataclasses.replace(workspace.store.get(Token, token), revoked_ns=workspace.clock())
    workspace.write(TokenIssued(revoked))
    return revoked


def find_actor_by_secret(workspace: Workspace, secret: str) -> Actor:
    """Return who holds this secret; refuses an unknown or revoked one."""
    tokens = workspace.store.find(Token, {"sha256": _hash_secret(secret)})
    if not tokens or tokens[-1].revoked_ns is not None:
        raise Refused("This token is unknown or was revoked. Ask an admin for a new one: fieldloop token NAME")
    return tokens[-1].actor


def _hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
