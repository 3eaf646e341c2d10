"""Run in openpi-client's own venv: an episode with its classes as published, against a server of ours."""

import json
import sys
import urllib.request

import numpy as np
from openpi_client.action_chunk_broker import ActionChunkBroker
from openpi_client.websocket_client_policy import WebsocketClientPolicy


def see(step):
    """What aloha_real sends: nested, channels first, the state in double precision."""
    picture = np.full((3, 4, 5), step, np.uint8)
    return {"images": {"cam_high": picture}, "state": np.arange(3.0), "prompt": "pick the box"}


def post(port, path, body):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def refuse(call):
    try:
        call()
    except RuntimeError as refused:
        return str(refused)
    return None


def main(port, key):
    found = {"healthz": urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz").read().decode()}
    client = WebsocketClientPolicy("127.0.0.1", port, api_key=key)
    found["metadata"] = client.get_server_metadata()
    horizon = found["metadata"]["action_horizon"]
    broker = ActionChunkBroker(client, horizon)
    found["episode"] = [broker.infer(see(step))["actions"].tolist() for step in range(5 * horizon)]
    found["refused"] = refuse(lambda: client.infer({"state": np.zeros(3), "prompt": "x"}))
    found["empty"] = refuse(lambda: client.infer(see(0) | {"state": np.full(3, np.nan)}))
    reply = client.infer(see(1))
    found["arrays"] = [name for name, value in reply.items() if isinstance(value, np.ndarray)]
    found["timing"] = {"policy": reply["policy_timing"], "server": reply["server_timing"]}
    post(port, "/v1/policies", {"policy": "p2"})
    post(port, "/v1/policies/p2/activate", {})
    found["same socket after the swap"] = client.infer(see(2))["actions"][0, 0].item()
    found["new socket after the swap"] = WebsocketClientPolicy("127.0.0.1", port, api_key=key).infer(see(2))["policy"]
    post(port, "/v1/back", {"override": "it crushes boxes"})
    found["after the rollback"] = client.infer(see(3))["actions"][0, 0].item()
    named = WebsocketClientPolicy(f"ws://127.0.0.1:{port}/v1/policies/p1", api_key=key)
    found["by path"] = named.infer(see(4))["actions"].shape
    try:
        WebsocketClientPolicy("127.0.0.1", port, api_key="wrong")
    except Exception as denied:  # noqa: BLE001 - of the library's own
        found["wrong key"] = str(denied)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
