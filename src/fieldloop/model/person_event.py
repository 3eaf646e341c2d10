"""Events of people and providers, in the past tense; `event.py` lists them with all others."""

from dataclasses import dataclass

from fieldloop.model.person import Operator, Provider, Token


@dataclass(frozen=True, slots=True)
class TokenIssued:
    """A token was issued, or one was revoked (the same id again, with `revoked_ns`)."""

    token: Token


@dataclass(frozen=True, slots=True)
class OperatorEnrolled:
    """Someone may demonstrate."""

    operator: Operator


@dataclass(frozen=True, slots=True)
class ProviderContracted:
    """A provider and its delivery terms were registered."""

    provider: Provider
