"""Sign-in for visitors from other machines: a plain form that posts a token."""

from typing import TYPE_CHECKING

from fieldloop.say.html import Markup, tag

if TYPE_CHECKING:
    from fastapi import FastAPI


def add_login_route(app: "FastAPI") -> None:
    """Add the form; it posts to the API, which checks tokens."""
    from fastapi.responses import HTMLResponse

    from fieldloop.ui.frame import HEADERS, draw_document

    @app.get("/login", include_in_schema=False)
    def serve_login_form(to: str = "/", wrong: bool = False) -> HTMLResponse:  # noqa: FBT001, FBT002 - a query parameter
        page = tag(
            "main", draw_login_form(to, token_refused=wrong), class_="page", style="max-width:560px;margin:10vh auto"
        )
        return HTMLResponse(draw_document("Sign in", page), headers=HEADERS)


def draw_login_form(return_address: str, *, token_refused: bool) -> Markup:
    """Draw the form."""
    alert = tag("p", "This token is unknown or was revoked.", class_="bad", role="alert") if token_refused else None
    return tag(
        "section",
        tag("b", "Sign in"),
        tag(
            "span",
            "This server runs on another machine. An admin issues a token with: ",
            tag("code", "fieldloop token NAME"),
        ),
        tag(
            "form",
            tag("label", "Token", for_="token"),
            tag(
                "input",
                id="token",
                name="token",
                type="password",
                required=True,
                autofocus=True,
                autocomplete="current-password",
            ),
            tag("input", type="hidden", name="to", value=return_address),
            alert,
            tag("button", "Sign in", class_="btn primary"),
            class_="form",
            method="post",
            action="/api/session",
        ),
        class_="panel empty",
    )
