import JSON

/// The messages on `system/presence/{did}` that inform workers which devices are connected.
struct Presence {
    private let prefix: String

    init(root: String) {
        prefix = "\(root)/system/presence/"
    }

    /// Publishes that a device has connected, or later that it now listens to commands; ignores
    /// other principals.
    ///
    /// `topic` returns the topic that workers see.
    func tellArrival(of client: Client, on topic: (String) -> String) {
        guard let did = client.did else { return }
        var json = JSONWriter()
        json.beginObject()
        json.name("online")
        json.value(true)
        json.name("connection")
        json.value(client.number)
        if client.isListening {
            json.name("listening")
            json.value(true)
        }
        json.name("ts")
        json.value(client.connectedAt)
        json.endObject()
        Broker.publish(topic(prefix + did), json.finish(), qos: 1)
    }

    /// Publishes that a device's connection has ended, on the topic that workers see.
    func tellDeparture(
        of client: Client,
        _ departure: Departure,
        on topic: (String) -> String
    ) {
        guard let did = client.did else { return }
        var json = JSONWriter()
        json.beginObject()
        json.name("online")
        json.value(false)
        json.name("connection")
        json.value(client.number)
        json.name("reason")
        json.value(departure.rawValue)
        json.name("ts")
        json.value(Clock.now())
        json.endObject()
        Broker.publish(topic(prefix + did), json.finish(), qos: 1)
    }
}
