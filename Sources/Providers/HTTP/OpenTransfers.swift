import Synchronization

/// The running transfers of several clients; `cancel` cancels all of these transfers.
package final class OpenTransfers: Sendable {
    /// The running transfers; nil after `cancel`.
    private let transfers = Mutex<[ObjectIdentifier: WebTransfer]?>([:])

    /// Makes an empty collection.
    package init() {}

    /// Adds a transfer, or returns false after `cancel`.
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

    /// Cancels the running transfers within about a second, and lets no new transfer begin.
    package func cancel() {
        let open = transfers.withLock { transfers in
            defer { transfers = nil }
            return transfers
        }
        for transfer in (open ?? [:]).values { transfer.cancel() }
    }
}
