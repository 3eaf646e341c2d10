"""Who sends a request: a user of this machine over loopback, or the holder of a token; pages of other sites never.

A token comes as `Authorization: Bearer …`, or as `Api-Key …` from openpi's clients.
"""

import hashlib
import ipaddress
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlsplit

from fieldloop.errors import Refused
from fieldloop.model.person import LOCAL_ADMIN, Actor, Role
from fieldloop.serve.refusals import NoToken

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1", "")
THROUGH_A_PROXY = ("x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via")
SCHEMES = ("bearer", "api-key")
CONTROL = frozenset({Role.ADMIN, Role.ENGINEER})
STOP = CONTROL | {Role.OPERATOR}
ACT = STOP | {Role.ROBOT}
FindActor = Callable[[str], Actor]
"""Secret → its holder; refuses one that is unknown or revoked. It may read a database."""


class Access:
    """Identifies senders; a token's holder is remembered for a while, so that robots do not wait for the database."""

    def __init__(
        self,
        find_actor: FindActor | None = None,
        keep_s: float = 0.0,
        unknown_s: float = 0.0,
        most_unknown: int = 0,
    ) -> None:
        """Without `find_actor` only loopback is served; `most_unknown` unknown tokens are remembered `unknown_s`."""
        self._find_actor, self._keep_s = find_actor, keep_s
        self._unknown_s, self._most_unknown = unknown_s, most_unknown
        self._known: dict[str, tuple[float, Actor]] = {}
        self._unknown: dict[bytes, tuple[float, str]] = {}
        self._change = threading.Lock()

    def identify(self, headers: Mapping[str, str], client: str, roles: Iterable[Role] = ACT) -> Actor:
        """Return the sender; refuse one without the role, and a request that a page of another site made."""
        known = self.recall(headers, client, roles)
        return known or _require_role(self._look_up(_read_secret(headers)), roles)

    def recall(self, headers: Mapping[str, str], client: str, roles: Iterable[Role] = ACT) -> Actor | None:
        """Return the sender as `identify` does, without waiting; None for a token that must be looked up."""
        _refuse_other_sites(headers)
        secret = _read_secret(headers)
        if secret:
            actor = self._recall_holder(secret)
            return None if actor is None else _require_role(actor, roles)
        if not is_local(headers, client):
            raise NoToken("Send a token (Authorization: Bearer …). An admin issues one with: fieldloop token NAME")
        return _require_role(LOCAL_ADMIN, roles)

    def was_known(self, headers: Mapping[str, str]) -> bool:
        """Was this sender's token known when it was last looked up?"""
        return _read_secret(headers) in self._known

    def _recall_holder(self, secret: str) -> Actor | None:
        now, never = time.monotonic(), float("-inf")
        at, actor = self._known.get(secret, (never, LOCAL_ADMIN))
        if now - at <= self._keep_s:
            return actor
        if self._find_actor is None:
            raise NoToken("This server knows no tokens.")
        at, reason = self._unknown.get(_hash_secret(secret), (never, ""))
        if now - at < self._unknown_s:
            raise NoToken(reason)
        return None

    def _look_up(self, secret: str) -> Actor:
        if self._find_actor is None:
            raise NoToken("This server knows no tokens.")
        now = time.monotonic()
        try:
            actor = self._find_actor(secret)
        except Refused as unknown:
            self._remember_unknown(secret, str(unknown))
            raise NoToken(str(unknown)) from unknown
        self._known[secret] = (now, actor)
        return actor

    def _remember_unknown(self, secret: str, reason: str) -> None:
        with self._change:
            self._known.pop(secret, None)
            digest = _hash_secret(secret)
            self._unknown.pop(digest, None)
            self._unknown[digest] = (time.monotonic(), reason)  # the newest stands last
            while len(self._unknown) > self._most_unknown:
                del self._unknown[next(iter(self._unknown))]


def is_local(headers: Mapping[str, str], client: str) -> bool:
    """Does this request come from this machine, without a proxy and under a local host name?

    >>> is_local({"host": "localhost:8600"}, "127.0.0.1"), is_local({"host": "evil.example"}, "127.0.0.1")
    (True, False)
    """
    if any(name in headers for name in THROUGH_A_PROXY):
        return False
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback and (urlsplit(f"//{headers.get('host', '')}").hostname or "") in LOCAL_NAMES


def is_loopback_host(host: str) -> bool:
    """Does a server that listens on this address answer to this machine only?

    >>> is_loopback_host("127.0.0.1"), is_loopback_host("localhost"), is_loopback_host("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _read_secret(headers: Mapping[str, str]) -> str:
    """Return the token of a request; '' where it has none.

    >>> _read_secret({"authorization": "Api-Key 7f3a"})
    '7f3a'
    """
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() in SCHEMES else ""


def _hash_secret(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def _require_role(actor: Actor, roles: Iterable[Role]) -> Actor:
    if actor.role not in roles:
        raise Refused(f"This needs the role {' or '.join(sorted(roles))}; {actor.id} has the role {actor.role}.")
    return actor


def _refuse_other_sites(headers: Mapping[str, str]) -> None:
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != headers.get("host"):
        raise Refused(f"This request comes from a page of another website ({origin}).")
    if headers.get("sec-fetch-site") == "cross-site":
        raise Refused("This request comes from a page of another website.")
