"""Make a bundle of a policy server's address: the card says what to send and what comes back."""

from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.serve.adding.settings import PolicySettings
from fieldloop.serve.bundle import Bundle

ENGINES = {"ws": "openpi", "wss": "openpi", "tcp": "groot"}
ASKED = ("control_hz", "action_names", "units", "inputs", "horizon")


def is_policy_server(address: str) -> bool:
    """Is this the address of a server whose protocol an engine speaks?

    >>> is_policy_server("ws://gpu:8000"), is_policy_server("https://example.org/act")
    (True, False)
    """
    return address.partition("://")[0] in ENGINES


def describe_server(address: str, name: str, settings: PolicySettings) -> tuple[Bundle, dict[str, Path]]:
    """Return the card of a bundle for a remote server; it holds no weights."""
    settings.require(address, *ASKED)
    assert settings.horizon is not None
    if settings.normaliser not in (None, "inside"):
        raise BadInput(f"{address}: a server normalises by itself; leave the normaliser out.")
    engine = ENGINES[address.partition("://")[0]]
    inputs = settings.read_inputs(address)
    keys = {key: str(row["key"]) for key, row in settings.inputs.items() if "key" in row}
    options = {**settings.options, "url": address, **({"keys": keys} if keys else {})}
    return settings.make_bundle(name, engine, inputs, settings.horizon, options=options), {}
