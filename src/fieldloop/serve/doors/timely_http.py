"""HTTP connections whose requests must come in time: a client that stops within its headers is closed.

uvicorn waits for headers without an end, so such clients would use up the server's connections.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
HTTP: Any = AutoHTTPProtocol


class TimelyProtocol(HTTP):  # type: ignore[misc]
    """One connection of uvicorn's; `limit_s` runs from connecting, or from the first byte of a later request."""

    limit_s = 0.0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for headers."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Wait on where headers are not complete yet."""
        super().data_received(data)
        if self._waits_for_headers():
            self._start_timer()
        else:
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_timer()
        super().connection_lost(exc)

    def _waits_for_headers(self) -> bool:
        """Is this still an HTTP connection (no WebSocket), with no request that is being answered?"""
        over = self.transport.is_closing() or self.transport.get_protocol() is not self
        return not over and (self.cycle is None or self.cycle.response_complete)

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self.limit_s, self._close_late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_late(self) -> None:
        self._timer = None
        if self._waits_for_headers():
            self.transport.write(TOO_LATE)
            self.transport.close()


def make_timely_protocol(limit_s: float) -> type[asyncio.Protocol]:
    """Return a protocol that closes a connection whose headers are not complete within `limit_s`."""
    return type("HeadersInTime", (TimelyProtocol,), {"limit_s": limit_s})
