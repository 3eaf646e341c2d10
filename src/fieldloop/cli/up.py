"""`fieldloop up`: serves the pages and the API of one workspace in one process."""

import argparse
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from fieldloop.cli.arguments import Parser, add_common_options, get_workspace_folder
from fieldloop.cli.choose import OWN
from fieldloop.errors import BadInput
from fieldloop.loop.catalogue import Needs

if TYPE_CHECKING:
    import uvicorn

HOST, PORT, PORTS_TRIED = "127.0.0.1", 8080, 20
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound to


def run_up(arguments: Sequence[str]) -> int:
    """Serve until interrupted."""
    parser = Parser(prog="fieldloop up", description=OWN["up"], allow_abbrev=False)
    add_address_options(parser)
    add_common_options(parser, Needs.WORKSPACE)
    parsed = parser.parse(arguments)
    folder, _ = get_workspace_folder(parsed)
    return serve_workspace(folder, parsed.host, parsed.port, open_browser=parsed.open)


def add_address_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the address to listen on."""
    parser.add_argument("--host", default=HOST, help=f"address to listen on (default: {HOST}, this machine only)")
    parser.add_argument(
        "--port", type=int, default=PORT, help=f"port (default: {PORT}; if it is taken, the next free one)"
    )
    parser.add_argument("--open", action="store_true", help="open a browser")


def serve_workspace(folder: Path, host: str, port: int, *, open_browser: bool = False) -> int:
    """Serve the pages and the API of a workspace until interrupted."""
    import uvicorn

    from fieldloop.api.app import build_app
    from fieldloop.loop.workspace import open_workspace
    from fieldloop.ui import mount_ui

    workspace = open_workspace(folder)
    try:
        app = build_app(lambda: workspace)
        mount_ui(app, lambda: workspace)
        listening = bind_socket(host, port)
        _print_address(workspace.name, host, listening, port, open_browser=open_browser)
        # forwarded headers are not trusted: a request through a proxy needs a token
        config = uvicorn.Config(app, log_level="warning", proxy_headers=False, server_header=False)
        make_server(config, app.state.live.close).run(sockets=[listening])
    finally:
        workspace.close()
    return 0


def make_server(config: "uvicorn.Config", end_work: Callable[[], None]) -> "uvicorn.Server":
    """Make a server that first ends what it would wait for when it is asked to stop: event streams, workers."""
    import uvicorn

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            end_work()
            super().handle_exit(sig, frame)

    return Server(config)


def bind_socket(host: str, port: int) -> socket.socket:
    """Bind to the port, or to the next free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (*range(port, port + PORTS_TRIED), 0) if port else (0,):
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((host, candidate))
        except (OSError, OverflowError) as wrong:
            opened.close()
            if not (isinstance(wrong, OSError) and wrong.errno in (98, 48, 13)):  # in use (Linux, macOS), not allowed
                raise BadInput(f"Cannot listen on {host} port {candidate}: {wrong}.") from wrong
        else:
            opened.listen()
            return opened
    raise BadInput(f"No port is free on {host}.")


def _print_address(name: str, host: str, listening: socket.socket, wanted_port: int, *, open_browser: bool) -> None:
    port = listening.getsockname()[1]
    address = f"http://{'localhost' if host in EVERYWHERE else f'[{host}]' if ':' in host else host}:{port}/"
    if wanted_port and port != wanted_port:
        print(f"Port {wanted_port} is taken; using {port}.", file=sys.stderr)
    print(f"{name}: {address}   API: {address}api/openapi.json   Ctrl+C ends", flush=True)
    if host != HOST and host not in ("localhost", "::1"):
        print("Visitors from other machines sign in with a token: fieldloop token NAME", flush=True)
    if open_browser:
        import webbrowser

        webbrowser.open(address)
