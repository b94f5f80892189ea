import Batching
package import Domain
package import Storage
package import Wire

/// A running transaction, with its dependencies and the effects that follow its commit.
///
/// A worker makes a unit of work for each batch. Web pages, background jobs and tools make one for each transaction
/// (`Environment.work(publishedBy:_:)`). A unit of work must not be used after its transaction.
package struct UnitOfWork {
    /// The transaction in which the work is done.
    package let tx: Transaction
    /// The topics on which messages are published.
    package let topics: Topics
    /// The limits that the work must obey.
    package let limits: Limits
    /// The products and apps, or nil if they must be read from the store.
    private let catalog: Catalog?
    /// The source of new ids.
    package var ids: IDSource
    /// The lane's shards, or all shards if the work isn't divided.
    var shards = Shards.all
    /// The effects that follow the commit.
    package var effects = Effects()

    /// Begins the work of a transaction in which products and apps are read from the store.
    package init(_ tx: Transaction, topics: Topics, limits: Limits) {
        self.init(tx, topics: topics, limits: limits, catalog: nil, ids: IDSource(of: tx.slot))
    }

    /// Begins the work of a worker's transaction; the given catalog must be up to date.
    init(_ tx: Transaction, topics: Topics, limits: Limits, catalog: Catalog?, ids: IDSource) {
        self.tx = tx
        self.topics = topics
        self.limits = limits
        self.catalog = catalog
        self.ids = ids
    }

    /// The time of the transaction.
    package var now: Instant { tx.now }

    /// Makes a new id with a prefix.
    package mutating func makeID(_ prefix: Character) -> String { ids.make(prefix, at: now) }

    /// Makes the id of a new device.
    ///
    /// If the work is divided into shards, the id belongs to the shard that handles the device's registrations.
    mutating func makeDeviceID(_ mac: MAC) -> DeviceID {
        let shard = shards.areAll ? nil : Shard.of(mac.text.utf8)
        return DeviceID(trusted: ids.make("d", at: now, shard: shard))
    }

    /// Returns a product; nil if the key is unknown.
    package func product(_ key: ProductKey) throws -> Product? {
        guard let catalog else { return try tx.products.find(key) }
        return catalog.product(key)
    }

    /// Returns the product of a device; nil for a removed device.
    package func product(of did: DeviceID) throws -> Product? {
        try tx.statuses.find(did).flatMap { try product($0.productKey) }
    }

    /// Returns an app; nil if the id is unknown.
    package func app(_ id: AppID) throws -> App? {
        guard let catalog else { return try tx.apps.find(id) }
        return catalog.app(id)
    }

    /// Returns whether the event log keeps statuses of devices.
    func keepsStatuses() throws -> Bool {
        guard let catalog else { return try tx.eventLog.statusesWantedUntil().map { $0 > now } ?? false }
        return catalog.keepsStatuses(at: now)
    }

    // MARK: Parts

    /// Returns a unit of work for a part of the work in the same transaction.
    ///
    /// The returned unit collects the effects of the part separately. If the part fails, the caller can drop these
    /// effects.
    func branch() -> UnitOfWork {
        var part = UnitOfWork(tx, topics: topics, limits: limits, catalog: catalog, ids: ids)
        part.shards = shards
        return part
    }

    /// Adds the effects of a successful part of the work.
    mutating func merge(_ part: UnitOfWork) {
        ids = part.ids
        effects.merge(part.effects)
    }

    /// Runs a part of the work, and undoes only that part if it fails.
    package mutating func isolated<Value>(_ body: (inout UnitOfWork) throws -> Value) throws -> Value {
        var part = branch()
        let value = try tx.isolated { try body(&part) }
        merge(part)
        return value
    }
}

extension Environment {
    /// Runs a transaction outside a worker's loop; `worker` in this process publishes the transaction's messages.
    ///
    /// `worker` also publishes a notice of each dead letter of the transaction. After the commit, the workers with new
    /// work are woken.
    package func work<Value>(publishedBy worker: WorkerName, _ body: (inout UnitOfWork) throws -> Value) throws -> Value
    {
        let writer = EffectWriter(worker: worker, environment: self)
        let (value, effects) = try store.batch(at: clock.now, once: true) { tx in
            var work = UnitOfWork(tx, topics: topics, limits: limits)
            let value = try body(&work)
            if try writer.leave(work.effects, in: tx) { work.effects.wake(worker) }
            return (value, work.effects)
        }
        writer.finish(effects)
        return value
    }
}

extension Store {
    /// Runs a transaction of a tool; a worker of the service publishes the transaction's messages.
    ///
    /// A running service finds the messages within half a second. If processes share the work, this can take two
    /// seconds.
    package func work<Value>(
        publishedBy worker: WorkerName,
        topics: Topics,
        limits: Limits,
        _ body: (inout UnitOfWork) throws -> Value
    ) throws -> Value {
        try batch(at: SystemClock().now, once: true) { tx in
            var work = UnitOfWork(tx, topics: topics, limits: limits)
            let value = try body(&work)
            try EffectWriter(worker: worker, topics: topics, limits: limits)
                .leave(work.effects, in: tx)
            return value
        }
    }
}
