import Domain
import Storage
import Wire

/// Ends expired invitations and bindings of guests.
enum BindingExpiry {
    /// Runs one step: ends a limited number of each, the earliest first, and tells both sides.
    static func step(
        limit: Int,
        _ topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        for var sharing in try tx.sharings.overdue(limit: limit) {
            sharing.turn(.expired, at: sharing.expiresAt)
            try tx.sharings.save(sharing)
            try SharingPush.notify(sharing, topics, in: tx, effects: &effects)
        }
        for guest in try tx.bindings.overdueGuests(limit: limit) {
            try Bindings.leave(
                guest.did,
                guest.uid,
                .expired,
                by: .system,
                topics,
                in: tx,
                effects: &effects
            )
        }
    }

    /// Returns the time at which the next one expires; nil if none does.
    static func next(in tx: Transaction) throws -> Instant? {
        [try tx.sharings.nextExpiry(), try tx.bindings.nextGuestEnd()].compactMap(\.self).min()
    }
}
