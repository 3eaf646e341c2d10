"""Ways into a policy server: HTTP, WebSocket, the routes that change versions, and KServe's protocol."""
