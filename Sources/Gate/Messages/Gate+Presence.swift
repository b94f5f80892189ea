import JSON

// The messages on `system/presence/{did}`, from which workers learn which devices are connected. Each message arrives
// after all earlier messages of the gate and the device.
extension Gate {
    /// Publishes that a device has connected or subscribed to its commands, and ignores other principals.
    func tellArrival(of client: Client) {
        let presence: JSONObject = [
            "online": true, "connection": .integer(client.number), "listening": client.isListening ? true : nil,
            "ts": .integer(client.connectedAt),
        ]
        tell(client, presence)
    }

    /// Publishes that a device's connection has ended; ignores other principals.
    func tellDeparture(of client: Client, _ departure: Departure) {
        let presence: JSONObject = [
            "online": false, "connection": .integer(client.number), "reason": .string(departure.rawValue),
            "ts": .integer(Clock.now()),
        ]
        tell(client, presence)
    }

    private func tell(_ client: Client, _ presence: JSONObject) {
        sendBatches()
        guard let did = client.did else { return }
        Broker.publish(topicForWorkers("\(settings.root)/system/presence/\(did)"), presence, qos: 1)
    }
}
