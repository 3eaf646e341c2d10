"""A visitor that calls an app without a network: from any address, under any host name, keeping cookies."""

import asyncio

import httpx

LOCAL, AWAY = ("127.0.0.1", 5000), ("10.0.0.7", 5000)


class Visitor:
    """Sends requests to an ASGI app and keeps the cookies it gets."""

    def __init__(self, app, address=LOCAL, host="127.0.0.1:8080", **headers):
        self.app, self.address, self.host, self.headers = app, address, host, headers
        self.cookies = httpx.Cookies()

    def request(self, method, path, **more):
        async def send():
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=self.address)
            async with httpx.AsyncClient(
                transport=transport, base_url=f"http://{self.host}", headers=self.headers, cookies=self.cookies
            ) as client:
                answer = await client.request(method, path, **more)
                self.cookies = client.cookies
                return answer

        return asyncio.run(send())

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)

    def socket(self, path="/api/live"):
        """Knock with a WebSocket; returns the type of the first answer."""
        sent = []
        headers = [(b"host", self.host.encode()), *((k.lower().encode(), v.encode()) for k, v in self.headers.items())]
        scope = {
            "type": "websocket",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "scheme": "ws",
            "headers": headers,
            "client": self.address,
            "server": ("127.0.0.1", 8080),
            "subprotocols": [],
        }

        async def receive():
            return {"type": "websocket.connect"}

        async def send(message):
            sent.append(message["type"])

        asyncio.run(self.app(scope, receive, send))
        return sent[0]

    def stream(self, path, until):
        """Open a stream and leave once it holds these bytes or ends; returns how it began, and what came."""
        begun, body = [], bytearray()
        headers = [(b"host", self.host.encode()), (b"accept-encoding", b"gzip")]
        headers += [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "scheme": "http",
            "headers": headers,
            "client": self.address,
            "server": ("127.0.0.1", 8080),
        }

        async def call():
            enough = asyncio.Event()
            asked = []

            async def receive():
                if not asked:
                    asked.append(1)
                    return {"type": "http.request", "body": b"", "more_body": False}
                await enough.wait()
                return {"type": "http.disconnect"}

            async def send(message):
                if message["type"] == "http.response.start":
                    begun.append(message)
                body.extend(message.get("body", b""))
                if until in body:
                    enough.set()

            await asyncio.wait_for(self.app(scope, receive, send), 30)

        asyncio.run(call())
        return begun[0], bytes(body)
