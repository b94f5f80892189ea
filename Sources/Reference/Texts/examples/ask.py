"""ask(method, params): sends a request as the terminal and returns the answer.

The function needs paho-mqtt and the environment variables whose names begin with LL_.
"""

import json
import os
import queue
import uuid

import paho.mqtt.client as mqtt


def ask(method, params, seconds=15):
    env = os.environ
    app, terminal, token = env["LL_APP"], env["LL_TERMINAL"], env.get("LL_TOKEN")
    base = f"ll/v1/app/{app}/{terminal}"
    arrived = queue.Queue()
    made = {"protocol": mqtt.MQTTv5, "client_id": terminal}
    if hasattr(mqtt, "CallbackAPIVersion"):  # paho-mqtt 2
        made["callback_api_version"] = mqtt.CallbackAPIVersion.VERSION2
    client = mqtt.Client(**made)
    client.username_pw_set(f"app:{app}", token or env["LL_SECRET"])
    client.on_connect = lambda client, data, flags, reason, *rest: arrived.put(("connected", reason))
    client.on_subscribe = lambda *rest: arrived.put(("subscribed", 0))
    client.on_message = lambda client, data, message: arrived.put(("answer", json.loads(message.payload)))

    def wait(what):
        while True:
            kind, value = arrived.get(timeout=seconds)
            if kind == "connected" and str(value) != "Success":
                raise ConnectionError(f"the broker refused: {value}")
            if kind == what:
                return value

    client.connect(env.get("LL_HOST", "127.0.0.1"), int(env.get("LL_PORT", "1883")))
    client.loop_start()
    try:
        wait("connected")
        client.subscribe(f"{base}/response", qos=1)
        wait("subscribed")
        request = {"id": uuid.uuid4().hex, "params": params, **({"token": token} if token else {})}
        client.publish(f"{base}/request/{method}", json.dumps(request), qos=1)
        while True:
            answer = wait("answer")
            if answer.get("id") == request["id"]:
                return answer
    finally:
        client.disconnect()
        client.loop_stop()
