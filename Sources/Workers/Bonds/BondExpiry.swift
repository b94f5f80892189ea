import Domain
import Storage
import Wire

/// Ends what has had its time: invitations that nobody answered, and bonds of guests.
enum BondExpiry {
    /// Takes one step, at most so many of each, the earliest first; both sides are told.
    static func step(
        limit: Int,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        for var sharing in try tx.sharings.overdue(limit: limit) {
            sharing.turn(.expired, at: sharing.expiresAt)
            try tx.sharings.save(sharing)
            try SharingPush.tell(sharing, topics, in: tx, owed: &owed)
        }
        for guest in try tx.bindings.overdueGuests(limit: limit) {
            try Bonds.leave(
                guest.did,
                guest.uid,
                .expired,
                by: .system,
                topics,
                in: tx,
                owed: &owed
            )
        }
    }

    /// When the next one's time is over; nil when none has an end.
    static func next(in tx: Transaction) throws -> Instant? {
        [try tx.sharings.nextExpiry(), try tx.bindings.nextGuestEnd()].compactMap(\.self).min()
    }
}
