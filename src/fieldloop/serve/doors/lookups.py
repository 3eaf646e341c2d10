"""Threads in which tokens are looked up, apart from those that robots and changes need."""

import asyncio
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from fieldloop.model.person import Actor, Role
from fieldloop.serve.access import Access
from fieldloop.serve.refusals import Busy

THREADS = 2
"""Lookups at the same moment; a lookup is one query."""


class Lookups:
    """Looks tokens up: those known before in threads of their own, so that guessed ones do not delay robots."""

    def __init__(self) -> None:
        """No thread runs before the first lookup."""
        self._renewing = ThreadPoolExecutor(THREADS, "tokens-known")
        self._guessing = ThreadPoolExecutor(THREADS, "tokens-new")
        self._waiting = 0

    async def run(
        self, access: Access, headers: Mapping[str, str], client: str, roles: Iterable[Role], most: int
    ) -> Actor:
        """Look a token up; a token that is new is refused while `most` others of them wait."""
        loop = asyncio.get_running_loop()
        if access.was_known(headers):
            return await loop.run_in_executor(self._renewing, access.identify, headers, client, roles)
        if self._waiting >= most:
            raise Busy(f"{self._waiting} new tokens are already being looked up. Ask again.")
        self._waiting += 1
        try:
            return await loop.run_in_executor(self._guessing, access.identify, headers, client, roles)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Let the threads end."""
        self._renewing.shutdown(wait=False)
        self._guessing.shutdown(wait=False)
