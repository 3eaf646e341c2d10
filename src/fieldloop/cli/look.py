"""`fieldloop look PATH`: serves the explorer of one log or dataset to this machine until interrupted."""

import logging
import multiprocessing
import secrets
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fieldloop.cli.arguments import Parser
from fieldloop.cli.choose import OWN
from fieldloop.cli.up import HOST, bind_socket, make_server

if TYPE_CHECKING:
    from fastapi import FastAPI

    from fieldloop.loop.look.open_set import PathEpisodes

PORT, BYTES, RETRY_S = 8090, 18, 0.1


def run_look(arguments: Sequence[str]) -> int:
    """Serve until interrupted; with --json, print the view of one episode and end."""
    parser = Parser(prog="fieldloop look", description=OWN["look"], allow_abbrev=False)
    parser.add_argument("path", type=Path, help="a log file, a dataset folder, or a folder of logs")
    parser.add_argument(
        "--episode", default="", help="number or name of the episode to begin with (default: the first)"
    )
    parser.add_argument("--at", type=float, default=None, help="the moment to begin at, in seconds from its start")
    parser.add_argument("--with", dest="beside", default="", help="number or name of an episode to show beside it")
    parser.add_argument("--mapping", type=Path, default=None, help="the mapping file for names, units and frames")
    parser.add_argument("--port", type=int, default=PORT, help=f"port (default: {PORT}; if taken, the next free one)")
    parser.add_argument("--open", action="store_true", help="open a browser (default: print the address)")
    parser.add_argument("--json", action="store_true", help="print one episode's view as JSON, and serve nothing")
    parser.add_argument("--debug", action="store_true", help="show where an error comes from")
    parsed = parser.parse(arguments)
    if parsed.json:
        return _print_view(parsed.path, parsed.episode or "0", parsed.mapping)
    from fieldloop.loop.look.of_path import open_path

    episodes = open_path(parsed.path, parsed.mapping)
    first = episodes.find_key(parsed.episode or "0")
    query = {"episode": first} | ({} if parsed.at is None else {"at": str(parsed.at)})
    query |= {"with": episodes.find_key(parsed.beside)} if parsed.beside else {}
    return _serve(episodes, query, parsed.port, open_browser=parsed.open)


def _print_view(path: Path, episode: str, mapping: Path | None) -> int:
    from fieldloop.doors.written import write_json_text
    from fieldloop.loop.look.of_path import look_at_log

    print(write_json_text(look_at_log(path, episode=episode, mapping=mapping)))
    return 0


def build_look_app(episodes: "PathEpisodes", first: str, key: str) -> "FastAPI":
    """Build the app: the player's routes and one page, behind a key that works once."""
    from fastapi import FastAPI, Request
    from starlette.middleware.gzip import GZipMiddleware

    from fieldloop.api.media import add_media_routes
    from fieldloop.api.one_time_key import OneTimeKey
    from fieldloop.api.problems import add_error_handlers
    from fieldloop.ui.pages.look import add_explorer_page

    def get_episode(_request: Request, episode: str) -> Any:
        return episodes.get_episode(episode)

    app = FastAPI(title="fieldloop look", openapi_url=None, docs_url=None, redoc_url=None)
    add_error_handlers(app)
    add_media_routes(app, get_episode)
    add_explorer_page(app, episodes.path.name, first, episodes.list_episodes)
    app.add_middleware(GZipMiddleware, minimum_size=1024)
    app.add_middleware(OneTimeKey, key=key)
    return app


def _serve(episodes: "PathEpisodes", query: dict[str, str], port: int, *, open_browser: bool) -> int:
    import uvicorn

    key = secrets.token_urlsafe(BYTES)
    app = build_look_app(episodes, query["episode"], key)
    listening = bind_socket(HOST, port)
    bound = listening.getsockname()[1]
    if port and bound != port:
        print(f"Port {port} is taken; using {bound}.", file=sys.stderr)
    address = f"http://{HOST}:{bound}/?{urlencode({'key': key, **query})}"
    print(f"{episodes.path.name}: {address}   works once, on this machine   Ctrl+C ends", flush=True)
    if open_browser:
        import webbrowser

        webbrowser.open(address)
    config = uvicorn.Config(
        app, log_level="warning", proxy_headers=False, server_header=False, timeout_graceful_shutdown=1
    )
    make_server(config, _stop_workers).run(sockets=[listening])
    return 0


def _stop_workers() -> None:
    """End a worker that still checks an episode, also one that is just being started; nothing waits for its result."""
    logging.disable(logging.CRITICAL)
    threading.Thread(target=_stop_children, daemon=True).start()


def _stop_children() -> None:
    while True:
        for worker in multiprocessing.active_children():
            worker.terminate()
        time.sleep(RETRY_S)
