"""Policy versions on a port: HTTP for people and probes, a WebSocket for robots that speak openpi's framing.

One bad request gets an error answer; the connection and the server go on. Inference runs in a thread for each version,
so that pings and /livez are answered while a policy thinks. Loopback needs no token; any other address does.
"""

import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI

from fieldloop.errors import BadInput
from fieldloop.model.identity import Clock
from fieldloop.protocol import Section
from fieldloop.serve.access import Access
from fieldloop.serve.doors.changes import close_records
from fieldloop.serve.doors.control_door import add_control_routes
from fieldloop.serve.doors.http_door import add_act_routes, add_probe_routes
from fieldloop.serve.doors.parts import MIB, Control, House, NoControl
from fieldloop.serve.doors.socket_door import add_socket_routes
from fieldloop.serve.engine import Engine
from fieldloop.serve.kserve.http_routes import add_kserve_routes
from fieldloop.serve.versions import Roster


def make_roster(engine: Engine, settings: Section, clock: Clock = time.time_ns) -> Roster:
    """Make the roster of a server that begins with one version."""
    roster = Roster(settings, clock)
    roster.add(engine)
    return roster


def make_app(
    roster: Roster,
    settings: Section,
    access: Access | None = None,
    control: Control | None = None,
    beside: Sequence[Callable[[House], AbstractAsyncContextManager[Any]]] = (),
) -> FastAPI:
    """Make the application that serves the versions of a roster; settings are the section `serve` of the operations.

    What is `beside` runs as long as the server does: the gRPC port, or what follows a rollout.
    """
    house = House(roster, settings, access or Access(), control or NoControl())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        for version in roster.versions.values():
            await version.desk.check_health()  # the first inference allocates; no robot should wait for it
        async with AsyncExitStack() as opened:
            for run in beside:
                await opened.enter_async_context(run(house))
            yield
            await close_records(house)
        house.lookups.close()
        roster.close()

    served = FastAPI(title="fieldloop policy server", lifespan=lifespan)
    add_probe_routes(served, house)
    add_act_routes(served, house)
    add_control_routes(served, house)
    add_kserve_routes(served, house)
    add_socket_routes(served, house)
    return served


def open_listening_socket(host: str, port: int) -> socket.socket:
    """Bind a port; one already in use is refused."""
    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
    except (OSError, OverflowError) as wrong:
        opened.close()
        raise BadInput(f"Cannot listen on {host} port {port}: {wrong}. Choose another with --port.") from wrong
    return opened


def run_server(app: FastAPI, host: str, port: int, settings: Section) -> None:
    """Serve until interrupted; a port already in use is refused."""
    import uvicorn

    opened = open_listening_socket(host, port)
    uvicorn.Server(make_server_config(app, host, port, settings)).run(sockets=[opened])


def make_server_config(app: FastAPI, host: str, port: int, settings: Section) -> Any:
    """Return how the port is opened: messages bounded and uncompressed, as robots send pictures.

    A client that stalls in mid-message answers no ping, and is closed; one that stalls within its headers too.
    """
    import uvicorn

    from fieldloop.serve.doors.timely_http import make_timely_protocol

    ping_s = settings.number("ping_s")
    return uvicorn.Config(
        app, host=host, port=port, log_level="warning", ws="websockets-sansio",
        http=make_timely_protocol(settings.number("read_timeout_s")),
        ws_max_size=int(settings.number("max_request_mb") * MIB), ws_per_message_deflate=False,
        ws_ping_interval=ping_s, ws_ping_timeout=ping_s,
    )  # fmt: skip
