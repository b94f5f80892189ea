import Synchronization

/// The transfers under way of some clients, so that all can be cancelled.
package final class OpenTransfers: Sendable {
    /// The transfers; nil after `cancel`.
    private let transfers = Mutex<[ObjectIdentifier: WebTransfer]?>([:])

    /// Makes an empty collection.
    package init() {}

    /// Adds a transfer; returns false after `cancel`.
    func add(_ transfer: WebTransfer) -> Bool {
        transfers.withLock { transfers in
            guard transfers != nil else { return false }
            transfers?[ObjectIdentifier(transfer)] = transfer
            return true
        }
    }

    /// Removes a transfer that has ended.
    func remove(_ transfer: WebTransfer) {
        transfers.withLock { _ = $0?.removeValue(forKey: ObjectIdentifier(transfer)) }
    }

    /// Cancels the transfers under way, within about a second, and lets none begin any more.
    package func cancel() {
        let open = transfers.withLock { transfers in
            defer { transfers = nil }
            return transfers
        }
        for transfer in (open ?? [:]).values { transfer.cancel() }
    }
}
