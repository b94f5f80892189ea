import Domain
import Storage

/// Ends expired invitations and bindings of guests.
enum BindingExpiry {
    /// Ends expired invitations, and tells both sides.
    static func end(_ invitations: [Sharing], in work: inout UnitOfWork) throws {
        for var sharing in invitations {
            sharing.become(.expired, at: sharing.expiresAt)
            try work.tx.sharings.save(sharing)
            try SharingPush.notify(sharing, in: &work)
        }
    }

    /// Ends the bindings of expired guests, and tells both sides.
    static func end(_ guests: [Binding], in work: inout UnitOfWork) throws {
        for guest in guests {
            let bindings = try Bindings(of: guest.did, by: .system, in: work)
            try bindings.leave(guest.uid, because: .expired, in: &work)
        }
    }

    /// Ends a device's expired guests ahead of `DueControl`, so that they count as strangers; tells whether there
    /// were any.
    ///
    /// Whatever adds a binding or an invitation calls it first: the old row would stand in the way of a new one,
    /// and `DueControl` would end a new invitation with it. So does whatever ends the owner's binding: guests whose time
    /// is over are told that, and not that the owner took the device back.
    @discardableResult
    static func endGuests(of did: DeviceID, in work: inout UnitOfWork) throws -> Bool {
        let overdue = try work.tx.bindings.all(of: did).filter { $0.isOver(at: work.now) }
        for guest in overdue {
            let bindings = try Bindings(of: did, by: .system, in: work)
            try bindings.leave(guest.uid, because: .expired, in: &work)
        }
        return !overdue.isEmpty
    }

    /// Returns the time at which the next one expires; nil if none does.
    static func next(in tx: Transaction) throws -> Instant? {
        [try tx.sharings.nextExpiry(), try tx.bindings.nextGuestEnd()].compactMap(\.self).min()
    }
}
