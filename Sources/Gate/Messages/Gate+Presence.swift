import JSON

// The messages on `system/presence/{did}` that inform workers which devices are connected, after all messages sent
// before.
extension Gate {
    /// Publishes that a device has connected, or later that it now listens to commands; ignores other principals.
    func tellArrival(of client: Client) {
        tell(
            client,
            [
                "online": true, "connection": .integer(client.number), "listening": client.isListening ? true : nil,
                "ts": .integer(client.connectedAt),
            ]
        )
    }

    /// Publishes that a device's connection has ended; ignores other principals.
    func tellDeparture(of client: Client, _ departure: Departure) {
        tell(
            client,
            [
                "online": false, "connection": .integer(client.number), "reason": .string(departure.rawValue),
                "ts": .integer(Clock.now()),
            ]
        )
    }

    private func tell(_ client: Client, _ presence: JSONObject) {
        sendBatches()
        guard let did = client.did else { return }
        let topic = topicForWorkers("\(settings.root)/system/presence/\(did)")
        Broker.publish(topic, presence, qos: 1)
    }
}
