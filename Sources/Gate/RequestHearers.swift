import JSON

/// Which requests of apps are heard by the workers that are there.
///
/// The session worker subscribes to all requests, as it answers those whose worker is away. While that
/// worker is there, a copy for it would only be thrown away, at the price of a packet and of a thread
/// that wakes: the gate keeps it. A worker is there from its word on `system/worker/{name}` to the next,
/// or to the end of its connection; other programs that subscribe to requests neither count nor miss any.
struct RequestHearers {
    /// The client id that gets only what nobody else hears.
    static let standIn = "svc.lamplighter.session"
    private static let servicesMax = 16

    private let apps: [UInt8]
    /// What a filter for the requests of all apps begins with.
    private let filters: [UInt8]
    private let workers: [UInt8]
    private var hearers: [Client] = []

    init(root: String) {
        apps = Array("\(root)/app/".utf8)
        filters = Array("\(root)/app/+/+/request/".utf8)
        workers = Array("\(root)/system/worker/".utf8)
    }

    /// Whether a worker that is there has subscribed to the requests of the topic's service.
    func hear(_ topic: Bytes) -> Bool {
        guard !hearers.isEmpty, let service = service(of: topic) else { return false }
        return hearers.contains { $0.services.contains { service.elementsEqual($0) } }
    }

    /// Takes in that a worker subscribed.
    mutating func note(_ client: Client, subscribedTo filter: Bytes) {
        if client.clientId == Self.standIn, filter.elementsEqual(filters + "#".utf8) {
            client.isStandIn = true
        }
        guard Topic.isBelow(filter, filters), filter.suffix(2).elementsEqual("/#".utf8),
            let service = service(of: filter), !Topic.isPlus(service),
            filter.count == filters.count &+ service.count &+ 2,
            client.services.count < Self.servicesMax
        else { return }
        note(client, unsubscribedFrom: filter)
        client.services.append(Array(service))
    }

    /// Takes in that a worker no longer subscribes.
    mutating func note(_ client: Client, unsubscribedFrom filter: Bytes) {
        guard let service = service(of: filter) else { return }
        client.services.removeAll { service.elementsEqual($0) }
    }

    /// Takes in what a worker says of itself; other messages are none of it.
    mutating func note(_ client: Client, published payload: Bytes, on topic: Bytes) {
        guard Topic.isBelow(topic, workers),
            client.isWorker(named: Bytes(rebasing: topic.dropFirst(workers.count))),
            let state = try? JSONValue.parse(payload),
            let isOnline = state.objectValue?["online"]?.boolValue
        else { return }
        forget(client)
        if isOnline { hearers.append(client) }
    }

    /// Takes in that a connection is over.
    mutating func forget(_ client: Client) {
        hearers.removeAll { $0 === client }
    }

    /// The service's level in a topic or filter of requests:
    /// `app/{appId}/{terminalId}/request/{service}/…`.
    private func service(of topic: Bytes) -> Bytes? {
        guard Topic.isBelow(topic, apps) else { return nil }
        var levels = Levels(Bytes(rebasing: topic.dropFirst(apps.count)))
        guard levels.next() != nil, levels.next() != nil,
            levels.next()?.elementsEqual("request".utf8) == true
        else { return nil }
        return levels.next()
    }
}
