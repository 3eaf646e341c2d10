"""Sessions of browsers that signed in: a random cookie maps to a token until the server stops."""

import secrets
import threading
from http.cookies import SimpleCookie

COOKIE = "fieldloop_session"
BYTES = 32


class Sessions:
    """Maps cookies to the secrets of tokens; kept in memory only, so a restart signs every browser out."""

    def __init__(self) -> None:
        """Start without sessions."""
        self._secrets: dict[str, str] = {}
        self._lock = threading.Lock()

    def open(self, secret: str) -> str:
        """Keep a secret and return the cookie for it."""
        key = secrets.token_urlsafe(BYTES)
        with self._lock:
            self._secrets[key] = secret
        return key

    def close(self, key: str) -> None:
        """Forget a cookie."""
        with self._lock:
            self._secrets.pop(key, None)

    def find_secret(self, cookies: str) -> str | None:
        """Return the secret that belongs to a Cookie header."""
        jar: SimpleCookie = SimpleCookie()
        jar.load(cookies)
        return self._secrets.get(jar[COOKIE].value) if COOKIE in jar else None


def get_safe_target(address: str) -> str:
    """Return the address to open after signing in; never one on another host.

    >>> get_safe_target("/plan"), get_safe_target("//evil.example"), get_safe_target("https://evil.example")
    ('/plan', '/', '/')
    """
    return (
        address if address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable() else "/"
    )
