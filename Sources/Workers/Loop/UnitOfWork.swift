import Batching
package import Domain
package import Storage
package import Wire

/// A transaction being carried out, with its dependencies and the effects that follow its commit.
///
/// A worker makes one for each batch; pages, background jobs and tools make one for each transaction
/// (`Environment.work(publishedBy:_:)`). A function that decides, stores or publishes takes it as `in work: inout
/// UnitOfWork`. It doesn't outlive its transaction.
package struct UnitOfWork {
    /// The transaction.
    package let tx: Transaction
    /// The topics.
    package let topics: Topics
    /// The limits.
    package let limits: Limits
    /// Products and apps as of this transaction; nil if they are read from the store.
    private let catalog: Catalog?
    /// The source of new ids.
    package var ids: IDSource
    /// The shards of the lane; all if the work isn't divided.
    var shards = Shards.all
    /// The effects that follow the commit.
    package var effects = Effects()

    /// Begins the work of a transaction, which reads products and apps from the store.
    package init(_ tx: Transaction, topics: Topics, limits: Limits) {
        self.init(tx, topics: topics, limits: limits, catalog: nil, ids: IDSource(of: tx.slot))
    }

    /// Begins the work of a worker's transaction; the catalog must be current.
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

    /// Makes the id of a new device; if the work is divided, in the shard that its registrations go to.
    mutating func makeDeviceID(_ mac: MAC) -> DeviceID {
        let shard = shards.areAll ? nil : Shard.of(mac.text.utf8)
        return DeviceID(trusted: ids.make("d", at: now, shard: shard))
    }

    /// Returns a product, or nil.
    package func product(_ key: ProductKey) throws -> Product? {
        guard let catalog else { return try tx.products.find(key) }
        return catalog.product(key)
    }

    /// Returns the product of a device; nil for a removed device.
    package func product(of did: DeviceID) throws -> Product? {
        try tx.statuses.find(did).flatMap { try product($0.productKey) }
    }

    /// Returns an app, or nil.
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

    /// Returns a copy without effects, for a part whose effects are dropped if it fails.
    func branch() -> UnitOfWork {
        var part = UnitOfWork(tx, topics: topics, limits: limits, catalog: catalog, ids: ids)
        part.shards = shards
        return part
    }

    /// Adds the effects of a part that succeeded.
    mutating func merge(_ part: UnitOfWork) {
        ids = part.ids
        effects.merge(part.effects)
    }

    /// Runs a part so that its failure undoes that part alone, in the store and among the effects.
    package mutating func isolated<Value>(_ body: (inout UnitOfWork) throws -> Value) throws -> Value {
        var part = branch()
        let value = try tx.isolated { try body(&part) }
        merge(part)
        return value
    }
}

extension Environment {
    /// Runs a transaction outside of a worker's loop; a worker of this process publishes its messages.
    ///
    /// The worker also publishes the notices of dead letters. After the commit it is woken, as are the workers that the
    /// effects name.
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
    /// Runs a transaction of a tool; a worker of the service publishes its messages.
    ///
    /// A running service finds them within half a second, or two seconds if processes share the work; a stopped service
    /// finds them when it starts.
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
