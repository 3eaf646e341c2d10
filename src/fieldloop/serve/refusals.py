"""Why a server does not answer a request with an action: each reason with its word for metrics and its HTTP status."""

from collections.abc import Mapping
from http import HTTPStatus

from fieldloop.errors import BadInput, FieldloopError, Refused
from fieldloop_robot.wire import WireError


class Busy(FieldloopError):
    """Too many requests are waiting to be answered in time."""


class Superseded(FieldloopError):
    """A newer request of the same robot replaced this one before its turn came."""


class Late(FieldloopError):
    """The deadline that the request stated passed before its turn came."""


class Claimed(FieldloopError):
    """Another connection runs this episode."""


class Suspended(FieldloopError):
    """A version that was rolled back at once acts no more."""


class PolicyFault(FieldloopError):
    """The policy failed, hung, or answered with numbers that are not finite."""


class NoToken(FieldloopError):
    """The request does not state who sends it."""


class TooLarge(FieldloopError):
    """The body is larger than the server reads."""


class Stalled(FieldloopError):
    """The client did not send the rest of its request in time."""


RESULTS: Mapping[type[Exception], tuple[str, HTTPStatus]] = {
    BadInput: ("refused", HTTPStatus.UNPROCESSABLE_ENTITY),
    WireError: ("refused", HTTPStatus.BAD_REQUEST),
    Busy: ("busy", HTTPStatus.SERVICE_UNAVAILABLE),
    Superseded: ("superseded", HTTPStatus.CONFLICT),
    Late: ("late", HTTPStatus.GATEWAY_TIMEOUT),
    Claimed: ("claimed", HTTPStatus.CONFLICT),
    Suspended: ("suspended", HTTPStatus.SERVICE_UNAVAILABLE),
    PolicyFault: ("failed", HTTPStatus.INTERNAL_SERVER_ERROR),
    NoToken: ("refused", HTTPStatus.UNAUTHORIZED),
    TooLarge: ("refused", HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    Stalled: ("refused", HTTPStatus.REQUEST_TIMEOUT),
    Refused: ("refused", HTTPStatus.FORBIDDEN),
}
REASONS = tuple(RESULTS)


def convert_failure(error: Exception) -> Exception:
    """Return what a sender is answered: a refusal as it is, of any other error its kind alone, and no traceback.

    >>> convert_failure(BadInput("Name an input.")), convert_failure(KeyError("a secret"))
    (BadInput('Name an input.'), PolicyFault('The server failed: KeyError.'))
    """
    if isinstance(error, REASONS):
        return error
    return PolicyFault(
        str(error) if isinstance(error, FieldloopError) else f"The server failed: {type(error).__name__}."
    )


def classify_refusal(error: Exception) -> tuple[str, HTTPStatus]:
    """Return the word for metrics and the HTTP status of a refusal."""
    return next(result for kind, result in RESULTS.items() if isinstance(error, kind))
