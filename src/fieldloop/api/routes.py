"""Adds a route for each use case: GET with query parameters if it only reads, else POST with a JSON body."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from fieldloop.api.authentication import ACTOR
from fieldloop.api.outbox import move_into_outbox
from fieldloop.doors.given_values import check_given_values
from fieldloop.doors.naming import with_names
from fieldloop.doors.output_paths import check_output_paths
from fieldloop.doors.parameters import Ask, Parameter, read_parameters
from fieldloop.doors.schemas import Schemas
from fieldloop.doors.stages import stage_of
from fieldloop.doors.written import as_json
from fieldloop.errors import Refused
from fieldloop.loop.catalogue import UseCase
from fieldloop.loop.workspace import Workspace
from fieldloop.model.person import Actor, Role

MARKDOWN = "text/markdown; charset=utf-8"


class Given(BaseModel):
    """The parameters of a request; an unknown field is refused with a suggestion."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_fields(cls, values: Any) -> Any:
        known = list(cls.model_fields)
        unknown = [name for name in values if name not in known] if isinstance(values, dict) else []
        if not unknown:
            return values
        wrong = PydanticCustomError("extra_forbidden", "unknown field", {"known": known})
        raise ValidationError.from_exception_data(
            cls.__name__, [InitErrorDetails(type=wrong, loc=(name,), input=values[name]) for name in unknown]
        )


def add_route(app: FastAPI, case: UseCase, workspace: Callable[[], Workspace], schemas: Schemas) -> None:
    """Add the route of one use case."""
    function = case.load()
    ask = read_parameters(function)
    given = _model(case, ask)

    def check_role(request: Request) -> None:
        actor: Actor = request.scope[ACTOR]
        if actor.role not in case.roles:
            needed = " or ".join(sorted(case.roles))
            raise Refused(f"`{case.command}` needs the role {needed}; {actor.id} has the role {actor.role}.")
        if reads_paths(case, ask) and actor.role is not Role.ADMIN:
            raise Refused(f"`{case.command}` reads paths on the server. Over the network only an admin may use it.")

    def endpoint(request: Request, given: Given) -> Response:
        here = workspace().acting_as(request.scope[ACTOR])
        with with_names(here):
            return serialise_result(_call(case, function, ask, given, here))

    place = Query() if is_get(case, ask) else Body()
    endpoint.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # FastAPI reads parameters from here
        [
            inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request),
            inspect.Parameter(
                "given",
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                annotation=Annotated[given, place],
                **({} if is_get(case, ask) or any(p.required for p in ask.parameters) else {"default": given()}),
            ),
        ]
    )
    app.add_api_route(
        f"/api/{case.path}",
        endpoint,
        methods=["GET" if is_get(case, ask) else "POST"],
        summary=case.summary,
        tags=[stage_of(case.command)],
        operation_id=case.command.replace(" ", "_"),
        response_class=JSONResponse,
        responses={200: {"content": {"application/json": {"schema": schemas.of_result(function)}}}},
        dependencies=[Depends(check_role)],  # runs before the parameters are validated
    )


def is_get(case: UseCase, ask: Ask) -> bool:
    """Is the route a GET? Not where it takes a path on the server: a link on another site could then write there."""
    return case.reads and not takes_paths(ask)


def takes_paths(ask: Ask) -> bool:
    """Does a use case take paths? They are paths on the server's machine."""
    return any(p.kind is Path for p in ask.parameters)


def reads_paths(case: UseCase, ask: Ask) -> bool:
    """Does a use case read files of the server's machine? What it writes stays in the outbox."""
    return any(p.kind is Path and p.name not in case.writes for p in ask.parameters)


def field_name(parameter: Parameter) -> str:
    """Return the JSON field of a parameter; Python's own words have an underscore behind them in code only."""
    return parameter.name.strip("_")


def serialise_result(result: Any) -> Response:
    """Serialise a result: Markdown as it is, everything else as JSON."""
    return Response(result, media_type=MARKDOWN) if isinstance(result, str) else JSONResponse(as_json(result))


def _model(case: UseCase, ask: Ask) -> type[Given]:
    fields: dict[str, Any] = {
        field_name(p): (p.hint, Field(**({} if p.required else {"default": p.default}), description=p.help))
        for p in ask.parameters
    }
    name = "".join(word.capitalize() for word in case.command.split())
    return create_model(name, __base__=Given, **fields)


def _call(case: UseCase, function: Callable[..., Any], ask: Ask, given: Given, workspace: Workspace) -> Any:
    values = {p.name: getattr(given, field_name(p)) for p in ask.parameters}
    check_given_values(ask, values, from_network=True)
    values = move_into_outbox(workspace.root, case, values)
    check_output_paths(case, values)
    return function(workspace, **values) if ask.takes_workspace else function(**values)
