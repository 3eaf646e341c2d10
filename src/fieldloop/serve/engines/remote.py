"""What engines of remote servers share: which key a server expects for an input, and how a failure is reported."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput, FieldloopError
from fieldloop.serve.bundle import Bundle

TIMEOUT_S = 15.0  # as GR00T's own client


class ServerUnavailable(FieldloopError):
    """A remote policy server does not answer."""


def read_url(bundle: Bundle, schemes: tuple[str, ...], folder: Path) -> str:
    """Return the server's address that a card states."""
    url = str(bundle.options.get("url", ""))
    if not url.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        raise BadInput(f"{folder}: options.url = {url!r} must begin with {' or '.join(f'{s}://' for s in schemes)}.")
    return url


def read_timeout(bundle: Bundle) -> float:
    """Return how many seconds a server may take."""
    stated = bundle.options.get("timeout_s", TIMEOUT_S)
    if not isinstance(stated, int | float) or isinstance(stated, bool) or not stated > 0:
        raise BadInput(f"options.timeout_s = {stated!r} is not a positive number of seconds.")
    return float(stated)


def read_keys(bundle: Bundle) -> dict[str, str]:
    """Return the key that the server expects for each input; its own name where the card states none."""
    stated = bundle.options.get("keys", {})
    known = {i.name for i in bundle.inputs}
    if not isinstance(stated, Mapping) or not stated.keys() <= known:
        raise BadInput(f"options.keys = {stated!r} must map inputs ({', '.join(sorted(known))}) to the server's keys.")
    return {name: str(stated.get(name, name)) for name in known}


def nest(values: Mapping[str, Any]) -> dict[str, Any]:
    """Write keys with dots as maps within maps.

    >>> nest({"images.top": 1, "images.wrist": 2, "state": 3})
    {'images': {'top': 1, 'wrist': 2}, 'state': 3}
    """
    nested: dict[str, Any] = {}
    for key, value in values.items():
        *places, last = key.split(".")
        at = nested
        for place in places:
            at = at.setdefault(place, {})
        at[last] = value
    return nested
