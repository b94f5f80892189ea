import JSON

// The messages on `system/presence/{did}`, from which workers know which devices are connected. These messages arrive
// after all messages that the gate or the device sent before.
extension Gate {
    /// Publishes that a device has connected, or later that it has subscribed to its commands.
    ///
    /// Other principals are ignored.
    func tellArrival(of client: Client) {
        tell(
            client,
            [
                "online": true, "connection": .integer(client.number), "listening": client.isListening ? true : nil,
                "ts": .integer(client.connectedAt),
            ]
        )
    }

    /// Publishes that a device's connection has ended.
    ///
    /// Other principals are ignored.
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
