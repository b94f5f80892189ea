// ask(method, params): sends a request as the terminal and returns the answer. Needs MQTT.js (npm
// install mqtt) and the LL_ variables.
import mqtt from "mqtt";
import { randomUUID } from "node:crypto";

export async function ask(method, params, seconds = 15) {
  const { LL_HOST = "127.0.0.1", LL_PORT = "1883", LL_APP, LL_TERMINAL, LL_TOKEN, LL_SECRET } = process.env;
  const base = `ll/v1/app/${LL_APP}/${LL_TERMINAL}`;
  const client = await mqtt.connectAsync(`mqtt://${LL_HOST}:${LL_PORT}`, {
    protocolVersion: 5,
    clientId: LL_TERMINAL,
    username: `app:${LL_APP}`,
    password: LL_TOKEN || LL_SECRET,
  });
  try {
    await client.subscribeAsync(`${base}/response`, { qos: 1 });
    const id = randomUUID();
    const answer = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("no answer")), seconds * 1000);
      client.on("message", (topic, payload) => {
        const message = JSON.parse(payload.toString());
        if (message.id !== id) return;
        clearTimeout(timer);
        resolve(message);
      });
    });
    const token = LL_TOKEN ? { token: LL_TOKEN } : {};
    await client.publishAsync(`${base}/request/${method}`, JSON.stringify({ id, ...token, params }), { qos: 1 });
    return await answer;
  } finally {
    await client.endAsync();
  }
}
