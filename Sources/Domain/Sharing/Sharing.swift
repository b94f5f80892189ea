/// An invitation to use a device, with the invitation's status.
package struct Sharing: Sendable, Equatable {
    /// How the invitation reaches its guest.
    package enum Way: String, Sendable, CaseIterable {
        /// The inviter identifies the guest by a name or an address.
        case user
        /// The guest scans a QR code, which can be used only once.
        case qrcode
    }

    /// The status of an invitation.
    package enum Status: String, Sendable, CaseIterable {
        case pending, accepted, rejected, expired, revoked

        /// Whether the status can still change.
        package var isOpen: Bool { self == .pending || self == .accepted }
    }

    /// The kind of name that the inviter used for the guest.
    package enum AddresseeKind: String, Sendable, CaseIterable { case phone, email, username, uid, anonymous }

    /// The masked name or address that the inviter used for the guest.
    package struct Addressee: Sendable, Equatable {
        /// The kind of name.
        package var kind: AddresseeKind
        /// The masked name; the full name isn't kept.
        package var masked: String

        /// Makes an addressee.
        package init(_ kind: AddresseeKind, masked: String) {
            (self.kind, self.masked) = (kind, masked)
        }
    }

    /// The invitation's id.
    package var id: SharingID
    /// The device.
    package var did: DeviceID
    /// The app of the inviter and the guest.
    package var app: AppID
    /// The user who made the invitation, or the new owner after a transfer.
    package var inviter: UserID
    /// The invited user or the user who scanned the code, or nil if this user isn't known.
    package var guest: UserID?
    /// The name that the inviter used for the guest, or nil for a QR code.
    package var addressee: Addressee?
    /// How the invitation reaches its guest.
    package var way: Way
    /// The guest's access.
    package var access: Binding.Access
    /// The minutes from the acceptance to the expiry of the guest's binding, or nil if the binding doesn't expire.
    package var guestMinutes: Int64?
    /// The recorded status.
    package var status: Status
    /// The creation time.
    package var createdAt: Instant
    /// The time until which the guest can answer.
    package var expiresAt: Instant
    /// The time at which the guest accepted.
    package var acceptedAt: Instant?
    /// The time of the last change, such as an answer or an expiry.
    package var updatedAt: Instant

    /// Makes an invitation.
    package init(
        id: SharingID,
        did: DeviceID,
        app: AppID,
        inviter: UserID,
        guest: UserID?,
        addressee: Addressee? = nil,
        way: Way,
        access: Binding.Access = .control,
        guestMinutes: Int64? = nil,
        status: Status = .pending,
        createdAt: Instant,
        expiresAt: Instant,
        acceptedAt: Instant? = nil,
        updatedAt: Instant? = nil
    ) {
        self.id = id
        self.did = did
        self.app = app
        self.inviter = inviter
        self.guest = guest
        self.addressee = addressee
        self.way = way
        self.access = access
        self.guestMinutes = guestMinutes
        self.status = status
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.acceptedAt = acceptedAt
        self.updatedAt = updatedAt ?? createdAt
    }

    /// Records a new status.
    package mutating func become(_ status: Status, at moment: Instant) {
        self.status = status
        updatedAt = moment
    }

    /// Returns `expired` for a pending invitation whose deadline has passed, and otherwise the recorded status.
    package func status(at now: Instant) -> Status { status == .pending && expiresAt <= now ? .expired : status }

    /// Returns the time of the last change, which can be an expiry that has not been recorded yet.
    package func updated(at now: Instant) -> Instant { status(at: now) == status ? updatedAt : expiresAt }
}
