"""Adds a route for each use case: GET with query parameters if it only reads, else POST with a JSON body."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Query, Request
from fastapi.params import Query as QueryInfo
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from fieldloop.api.authentication import ACTOR
from fieldloop.api.downloads import answer_with_files, is_download_allowed
from fieldloop.api.outbox import move_into_outbox
from fieldloop.doors.given_values import check_given_values
from fieldloop.doors.naming import use_workspace_names
from fieldloop.doors.output_paths import check_output_paths
from fieldloop.doors.parameters import Ask, Parameter, read_parameters
from fieldloop.doors.schemas import Schemas
from fieldloop.doors.stages import get_stage
from fieldloop.doors.written import convert_to_json
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


def add_route(app: FastAPI, use_case: UseCase, get_workspace: Callable[[], Workspace], schemas: Schemas) -> None:
    """Add the route of one use case."""
    function = use_case.load()
    ask = read_parameters(function)
    given = _make_request_model(use_case, ask)

    def check_role(request: Request) -> None:
        actor: Actor = request.scope[ACTOR]
        if actor.role not in use_case.roles:
            needed = " or ".join(sorted(use_case.roles))
            raise Refused(f"`{use_case.command}` needs the role {needed}; {actor.id} has the role {actor.role}.")
        if reads_server_paths(use_case, ask) and actor.role is not Role.ADMIN:
            raise Refused(f"`{use_case.command}` reads paths on the server. Over the network only an admin may use it.")

    def endpoint(request: Request, given: Given) -> Response:
        here = get_workspace().acting_as(request.scope[ACTOR])
        with use_workspace_names(here):
            values = move_into_outbox(here.root, use_case, _read_values(ask, given))
            return serialise_result(_call(use_case, function, ask, values, here))

    def download(request: Request, given: Given) -> Response:
        here = get_workspace().acting_as(request.scope[ACTOR])
        with use_workspace_names(here):
            values = _read_values(ask, given)
            return answer_with_files(use_case, values, lambda placed: _call(use_case, function, ask, placed, here))

    needed = any(p.required for p in ask.parameters)
    _add_signature(endpoint, given, Query() if uses_get_method(use_case, ask) else Body(), needed)
    app.add_api_route(
        f"/api/{use_case.path}",
        endpoint,
        methods=["GET" if uses_get_method(use_case, ask) else "POST"],
        summary=use_case.summary,
        tags=[get_stage(use_case.command)],
        operation_id=use_case.command.replace(" ", "_"),
        response_class=JSONResponse,
        responses={200: {"content": {"application/json": {"schema": schemas.make_result_schema(function)}}}},
        dependencies=[Depends(check_role)],  # runs before the parameters are validated
    )
    if is_download_allowed(use_case):
        _add_signature(download, given, Body(), needed)
        path = f"/api/{use_case.path}/download"
        app.add_api_route(path, download, methods=["POST"], include_in_schema=False, dependencies=[Depends(check_role)])


def _add_signature(endpoint: Callable[..., Any], given: type[Given], place: Any, needed: bool) -> None:  # noqa: FBT001
    """State what a route takes; FastAPI reads it from the signature."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    default = inspect.Parameter.empty if needed or isinstance(place, QueryInfo) else given()
    parameters = [
        inspect.Parameter("request", kind, annotation=Request),
        inspect.Parameter("given", kind, annotation=Annotated[given, place], default=default),
    ]
    endpoint.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]


def uses_get_method(use_case: UseCase, parameters: Ask) -> bool:
    """Is the route a GET? Not where it takes a path on the server: a link on another site could then write there."""
    return use_case.reads and not takes_path_parameters(parameters)


def takes_path_parameters(parameters: Ask) -> bool:
    """Does a use case take paths? They are paths on the server's machine."""
    return any(p.kind is Path for p in parameters.parameters)


def reads_server_paths(use_case: UseCase, parameters: Ask) -> bool:
    """Does a use case read files of the server's machine? What it writes stays in the outbox."""
    return any(p.kind is Path and p.name not in use_case.writes for p in parameters.parameters)


def get_json_field_name(parameter: Parameter) -> str:
    """Return the JSON field of a parameter; Python's own words have an underscore behind them in code only."""
    return parameter.name.strip("_")


def serialise_result(result: Any) -> Response:
    """Serialise a result: Markdown as it is, everything else as JSON."""
    return Response(result, media_type=MARKDOWN) if isinstance(result, str) else JSONResponse(convert_to_json(result))


def _make_request_model(use_case: UseCase, parameters: Ask) -> type[Given]:
    fields: dict[str, Any] = {
        get_json_field_name(p): (
            _make_number_annotation(p),
            Field(**({} if p.required else {"default": p.default}), description=p.help),
        )
        for p in parameters.parameters
    }
    name = "".join(word.capitalize() for word in use_case.command.split())
    return create_model(name, __base__=Given, **fields)


def _make_number_annotation(parameter: Parameter) -> Any:
    """Return the type of a field; JSON's true and false are refused, though Python counts with them."""
    if parameter.repeatable or parameter.kind not in (int, float):
        return parameter.hint
    return Annotated[parameter.hint, BeforeValidator(_refuse_truth_value)]


def _refuse_truth_value(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError("number_expected", "must be a number, not {given}", {"given": str(value).lower()})
    return value


def _read_values(parameters: Ask, request_parameters: Given) -> dict[str, Any]:
    values = {p.name: getattr(request_parameters, get_json_field_name(p)) for p in parameters.parameters}
    check_given_values(parameters, values, from_network=True)
    return values


def _call(
    use_case: UseCase, function: Callable[..., Any], parameters: Ask, values: dict[str, Any], workspace: Workspace
) -> Any:
    """Call a use case whose files have their place already."""
    check_output_paths(use_case, values)
    return function(workspace, **values) if parameters.takes_workspace else function(**values)
