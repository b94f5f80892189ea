import Domain
import Storage

/// The end of expired invitations and of expired guests' bindings.
enum BindingExpiry {
    /// Ends expired invitations, and notifies the inviters and the invited users.
    static func end(_ invitations: [Sharing], in work: inout UnitOfWork) throws {
        for var sharing in invitations {
            sharing.become(.expired, at: sharing.expiresAt)
            try work.tx.sharings.save(sharing)
            try SharingPush.notify(sharing, in: &work)
        }
    }

    /// Ends the bindings of expired guests, and notifies the guests and the devices' principals.
    static func end(_ guests: [Binding], in work: inout UnitOfWork) throws {
        for guest in guests {
            let bindings = try Bindings(of: guest.did, by: .system, in: work)
            try bindings.leave(guest.uid, because: .expired, in: &work)
        }
    }

    /// Ends a device's expired bindings at once, and returns whether there were any.
    ///
    /// Code that adds a binding or an invitation must first call this function. Otherwise, the expired row would block
    /// the new row. `DueControl` would also end the new invitation together with the expired binding. Code that ends
    /// the owner's binding must also call this function. Otherwise, expired guests would be notified of a revocation by
    /// the owner.
    @discardableResult
    static func endGuests(of did: DeviceID, in work: inout UnitOfWork) throws -> Bool {
        let overdue = try work.tx.bindings.all(of: did).filter { $0.isOver(at: work.now) }
        try end(overdue, in: &work)
        return !overdue.isEmpty
    }

    /// Returns the time when the next invitation or binding of a guest expires, or nil if none will expire.
    static func next(in tx: Transaction) throws -> Instant? {
        [try tx.sharings.nextExpiry(), try tx.bindings.nextGuestEnd()].compactMap(\.self).min()
    }
}
