import Domain
import Storage

/// The queue from which the senders take pushes.
enum PushQueue {
    /// Queues a push, or returns `notConfigured` if the app has no configuration for the kind of the push's address.
    static func add(_ push: OutgoingPush, in work: inout UnitOfWork) throws -> PushEnd? {
        guard try work.app(push.address.app)?.push.has(push.address.kind) == true else { return .notConfigured }
        try work.tx.outgoingMessages.add(OutgoingMessage(push, id: MessageID(trusted: work.makeID("m")), at: work.now))
        return nil
    }
}

extension PushEnd {
    /// The outcome that is recorded in the push's notification.
    var outcome: Notification.Outcome {
        switch self {
        case .sent: .pushed
        case .gone, .failed: .failed
        case .notConfigured: .notConfigured
        }
    }

    /// Why the push failed, or nil if it did not fail.
    var error: String? {
        switch self {
        case .sent, .notConfigured: nil
        case .gone: "gone: the push service no longer knows the address, which was deleted; the app sets a new one"
        case .failed(let error): error
        }
    }
}

extension UnitOfWork {
    /// Records a push's outcome, and deletes an address unknown to the push service.
    ///
    /// The caller must first lock the user of the push address.
    func end(_ push: OutgoingPush, as end: PushEnd) throws {
        let address = push.address
        if let id = push.notification, var note = try tx.notifications.find(id) {
            note.note(Notification.Push(address.terminal, end.outcome, error: end.error, at: now))
            try tx.notifications.save([note])
        }
        if end == .gone { return try tx.pushAddresses.remove(address) }
        guard var stored = try tx.pushAddresses.find(address.terminal) else { return }
        stored.address = address.address
        if end == .sent { stored.lastOKAt = now }
        stored.error = end.error
        try tx.pushAddresses.save([stored])
    }
}
