"""Writes errors as problem+json (RFC 9457) with the exception's name."""

import difflib
import logging
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from fieldloop import errors
from fieldloop.doors.written import reasons_of

MEDIA_TYPE = "application/problem+json"
STATUS = {
    errors.UnknownName: 404,
    errors.BadInput: 422,
    errors.Refused: 403,
    errors.WorkspaceError: 409,
    errors.StoreBusy: 503,
    errors.StoreFull: 507,
    errors.StoreTooNew: 409,
    errors.StoreError: 500,
    errors.MissingExtra: 501,
}
BUG = 500
NO_FACTS: Mapping[str, Any] = MappingProxyType({})
log = logging.getLogger("fieldloop.api")


class Unauthenticated(errors.FieldloopError):
    """The request carries no valid token and no session."""


def problem(
    name: str, status: int, detail: str, headers: dict[str, str] | None = None, facts: Mapping[str, Any] = NO_FACTS
) -> JSONResponse:
    """Make one problem document; `facts` are added to it."""
    kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    body = {"type": f"urn:fieldloop:problem:{kind}", "title": name, "status": status, "detail": detail, **facts}
    return JSONResponse(body, status, media_type=MEDIA_TYPE, headers=headers)


def problem_of(wrong: Exception) -> JSONResponse:
    """Turn an exception into its problem document."""
    if isinstance(wrong, Unauthenticated):
        return problem("Unauthenticated", 401, str(wrong), {"WWW-Authenticate": "Bearer"})
    for kind in type(wrong).__mro__:
        if kind in STATUS:
            return problem(type(wrong).__name__, STATUS[kind], str(wrong), facts=reasons_of(wrong))
    log.error("unexpected", exc_info=wrong)
    return problem(type(wrong).__name__, BUG, "This is a bug. The server's log shows where it happened.")


def answer_errors(app: FastAPI) -> None:
    """Make every error of this app a problem document."""

    @app.exception_handler(errors.FieldloopError)
    def ours(_: Request, wrong: errors.FieldloopError) -> JSONResponse:
        return problem_of(wrong)

    @app.exception_handler(RequestValidationError)
    def unusable(_: Request, wrong: RequestValidationError) -> JSONResponse:
        return problem("BadInput", 422, "; ".join(_validation_message(error, wrong.body) for error in wrong.errors()))

    @app.exception_handler(HTTPException)
    def http(_: Request, wrong: HTTPException) -> JSONResponse:
        names = {404: "UnknownName", 405: "WrongMethod"}
        return problem(names.get(wrong.status_code, "HTTPException"), wrong.status_code, str(wrong.detail))

    @app.exception_handler(Exception)
    def bug(_: Request, wrong: Exception) -> JSONResponse:
        return problem_of(wrong)


def _validation_message(error: Any, body: Any) -> str:
    where = ".".join(str(part) for part in error["loc"] if part not in ("body", "query")) or "the body"
    if error["type"] == "extra_forbidden":
        known = error.get("ctx", {}).get("known", ())
        close = difflib.get_close_matches(where, known, n=1)
        return f"No field called {where!r}.{f' Did you mean {close[0]!r}?' if close else ''}"
    if error["type"] == "missing":
        return f"{where} is missing"
    if error["type"] == "json_invalid":
        return f"The body is not valid JSON: {error.get('ctx', {}).get('error', '')} ({type(body).__name__})"
    return f"{where}: {error['msg']}"
