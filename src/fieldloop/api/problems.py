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
from fieldloop.doors.written import get_error_reasons

MEDIA_TYPE = "application/problem+json"
STATUS = {
    errors.UnknownName: 404,
    errors.BadInput: 422,
    errors.Refused: 403,
    errors.WorkspaceError: 409,
    errors.StoreBusy: 503,
    errors.ChangedMeanwhile: 409,
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


def make_problem_document(
    name: str, status: int, detail: str, headers: dict[str, str] | None = None, facts: Mapping[str, Any] = NO_FACTS
) -> JSONResponse:
    """Make one problem document; `facts` are added to it."""
    kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    body = {"type": f"urn:fieldloop:problem:{kind}", "title": name, "status": status, "detail": detail, **facts}
    return JSONResponse(body, status, media_type=MEDIA_TYPE, headers=headers)


def convert_error_to_problem(error: Exception) -> JSONResponse:
    """Turn an exception into its problem document."""
    if isinstance(error, Unauthenticated):
        return make_problem_document("Unauthenticated", 401, str(error), {"WWW-Authenticate": "Bearer"})
    for kind in type(error).__mro__:
        if kind in STATUS:
            return make_problem_document(type(error).__name__, STATUS[kind], str(error), facts=get_error_reasons(error))
    log.error("unexpected", exc_info=error)
    return make_problem_document(type(error).__name__, BUG, "This is a bug. The server's log shows where it happened.")


def add_error_handlers(app: FastAPI) -> None:
    """Make every error of this app a problem document."""

    @app.exception_handler(errors.FieldloopError)
    def handle_fieldloop_error(_: Request, error: errors.FieldloopError) -> JSONResponse:
        return convert_error_to_problem(error)

    @app.exception_handler(RequestValidationError)
    def handle_invalid_request(_: Request, wrong: RequestValidationError) -> JSONResponse:
        return make_problem_document(
            "BadInput", 422, "; ".join(_write_validation_message(error, wrong.body) for error in wrong.errors())
        )

    @app.exception_handler(HTTPException)
    def handle_http_error(_: Request, error: HTTPException) -> JSONResponse:
        names = {404: "UnknownName", 405: "WrongMethod"}
        return make_problem_document(
            names.get(error.status_code, "HTTPException"), error.status_code, str(error.detail)
        )

    @app.exception_handler(Exception)
    def handle_bug(_: Request, error: Exception) -> JSONResponse:
        return convert_error_to_problem(error)


def _write_validation_message(error: Any, body: Any) -> str:
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
