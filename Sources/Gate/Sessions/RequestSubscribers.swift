import JSON

/// The workers that are present, and the services whose requests each worker has subscribed to.
///
/// The session worker subscribes to all requests, because it answers the requests whose worker isn't connected. If a
/// request's worker is present, the session worker would discard its copy of the request. That copy would cost a packet
/// and wake a thread, so the gate withholds the copy. A worker becomes present when it publishes on
/// `system/worker/{name}` that it is online. It stays present until it publishes that it is offline, or until its
/// connection ends. Subscribers that aren't workers are never counted as present, and they get all requests.
struct RequestSubscribers {
    /// The client id of the worker that receives a request when the request's own worker is absent.
    static let fallback = "svc.lamplighter.session"
    private static let servicesMax = 16

    private let apps: [UInt8]
    /// The prefix of filters that match the requests of all apps.
    private let filters: [UInt8]
    private let workers: [UInt8]
    private var subscribers: [Client] = []

    init(root: String) {
        apps = Array("\(root)/app/".utf8)
        filters = Array("\(root)/app/+/+/request/".utf8)
        workers = Array("\(root)/system/worker/".utf8)
    }

    /// Returns whether a present worker has subscribed to the requests of the topic's service.
    func hear(_ topic: Bytes) -> Bool { worker(of: topic) != nil }

    /// Returns the present worker that has subscribed to the requests of the topic's service.
    func worker(of topic: Bytes) -> Client? {
        guard !subscribers.isEmpty, let service = service(of: topic) else { return nil }
        return subscribers.first { $0.services.contains { service.elementsEqual($0) } }
    }

    /// Records a worker's subscription.
    mutating func note(_ client: Client, subscribedTo filter: Bytes) {
        if client.clientId == Self.fallback, filter.elementsEqual(filters + "#".utf8) { client.isFallback = true }
        guard Topic.isBelow(filter, filters), filter.suffix(2).elementsEqual("/#".utf8),
            let service = service(of: filter), !Topic.isPlus(service),
            filter.count == filters.count &+ service.count &+ 2, client.services.count < Self.servicesMax
        else { return }
        note(client, unsubscribedFrom: filter)
        client.services.append(Array(service))
    }

    /// Records the end of a worker's subscription.
    mutating func note(_ client: Client, unsubscribedFrom filter: Bytes) {
        guard let service = service(of: filter) else { return }
        client.services.removeAll { service.elementsEqual($0) }
    }

    /// Records the state that a worker publishes about itself, and ignores all other messages.
    mutating func note(_ client: Client, published payload: Bytes, on topic: Bytes) {
        guard Topic.isBelow(topic, workers), client.isWorker(named: Bytes(rebasing: topic.dropFirst(workers.count))),
            let state = try? JSONValue.parse(payload), let isOnline = state.objectValue?["online"]?.boolValue
        else { return }
        forget(client)
        if isOnline { subscribers.append(client) }
    }

    /// Records the end of a connection.
    mutating func forget(_ client: Client) { subscribers.removeAll { $0 === client } }

    /// Returns the level that names the service in a topic or filter of requests:
    /// `app/{appId}/{terminalId}/request/{service}/…`.
    private func service(of topic: Bytes) -> Bytes? {
        guard Topic.isBelow(topic, apps) else { return nil }
        var levels = Levels(Bytes(rebasing: topic.dropFirst(apps.count)))
        guard levels.next() != nil, levels.next() != nil, levels.next()?.elementsEqual("request".utf8) == true else {
            return nil
        }
        return levels.next()
    }
}
