"""Browsers that signed in with a token: a random cookie stands for it until the server or the browser closes."""

import secrets
import threading
from http.cookies import SimpleCookie

COOKIE = "fieldloop_session"
BYTES = 32


class Sessions:
    """Which cookie stands for which token's secret; kept in memory only, so a restart signs everybody out."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._secrets: dict[str, str] = {}
        self._lock = threading.Lock()

    def open(self, secret: str) -> str:
        """Remember a secret and return the cookie that stands for it."""
        key = secrets.token_urlsafe(BYTES)
        with self._lock:
            self._secrets[key] = secret
        return key

    def close(self, key: str) -> None:
        """Forget a cookie."""
        with self._lock:
            self._secrets.pop(key, None)

    def secret(self, cookies: str) -> str | None:
        """Return the secret that a Cookie header stands for."""
        jar: SimpleCookie = SimpleCookie()
        jar.load(cookies)
        return self._secrets.get(jar[COOKIE].value) if COOKIE in jar else None


def safe_target(to: str) -> str:
    """Return where to go after signing in; never to another host.

    >>> safe_target("/plan"), safe_target("//evil.example"), safe_target("https://evil.example")
    ('/plan', '/', '/')
    """
    return to if to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable() else "/"
