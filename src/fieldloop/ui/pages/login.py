"""Sign-in for visitors from elsewhere: a plain form, because a socket handler cannot set a cookie."""

from typing import TYPE_CHECKING

from fieldloop.ui.markup import Html, tag

if TYPE_CHECKING:
    from fastapi import FastAPI


def add_login(app: "FastAPI") -> None:
    """Add the form; it posts to the API, which knows tokens."""
    from fastapi.responses import HTMLResponse

    from fieldloop.ui.frame import head

    @app.get("/login", include_in_schema=False)
    def login(to: str = "/", wrong: bool = False) -> HTMLResponse:  # noqa: FBT001, FBT002 - a query parameter
        page = tag("main", form(to, wrong=wrong), class_="page", style="max-width:560px;margin:10vh auto")
        start = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sign in · fieldloop</title>'
        meta = '<meta name="viewport" content="width=device-width, initial-scale=1">'
        return HTMLResponse(f"{start}{meta}{head()}</head><body style='margin:0'>{page}</body></html>")


def form(to: str, *, wrong: bool) -> Html:
    """Draw the form."""
    said = tag("p", "This token is unknown or was revoked.", class_="bad", role="alert") if wrong else None
    return tag(
        "section",
        tag("b", "Sign in"),
        tag(
            "span",
            "This page is served from another machine. An admin issues a token with: ",
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
            tag("input", type="hidden", name="to", value=to),
            said,
            tag("button", "Sign in", class_="btn primary"),
            class_="form",
            method="post",
            action="/api/session",
        ),
        class_="panel empty",
    )
