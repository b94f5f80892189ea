/// An invitation to a device and its status.
package struct Sharing: Sendable, Equatable {
    /// The way in which the invitation reaches its guest.
    package enum Way: String, Sendable, CaseIterable {
        /// By a name or an address.
        case user
        /// By a QR code, which the first scan uses up.
        case qrcode
    }

    /// The status.
    package enum Status: String, Sendable, CaseIterable {
        case pending, accepted, rejected, expired, revoked

        /// Whether the status can still change.
        package var isOpen: Bool { self == .pending || self == .accepted }
    }

    /// The kind of name that the inviter used for the guest.
    package enum AddresseeKind: String, Sendable, CaseIterable { case phone, email, username, uid, anonymous }

    /// The invited name or address, masked.
    package struct Addressee: Sendable, Equatable {
        /// The kind of name.
        package var kind: AddresseeKind
        /// The name, masked; the whole of it is not kept.
        package var masked: String

        /// Describes an addressee.
        package init(_ kind: AddresseeKind, masked: String) {
            self.kind = kind
            self.masked = masked
        }
    }

    /// Its id.
    package var id: SharingID
    /// The device.
    package var did: DeviceID
    /// The app of both sides.
    package var app: AppID
    /// The inviter; after a transfer the new owner.
    package var inviter: UserID
    /// The guest: the invited user, if known, or the user who scanned the code.
    package var guest: UserID?
    /// The name that the inviter used for the guest; nil for a QR code.
    package var addressee: Addressee?
    /// The way in which the invitation reaches its guest.
    package var way: Way
    /// The guest's access.
    package var access: Binding.Access
    /// The duration of the guest's binding from acceptance, in minutes; nil for no end.
    package var guestMinutes: Int64?
    /// The status.
    package var status: Status
    /// The creation time.
    package var createdAt: Instant
    /// The deadline for an answer.
    package var expiresAt: Instant
    /// The acceptance time.
    package var acceptedAt: Instant?
    /// The time of the status's last change, by an answer, a revocation, a transfer or expiry.
    package var updatedAt: Instant

    /// Describes an invitation.
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

    /// Returns the invitation's status at a moment, even if the control worker (`DueControl`) has not recorded it yet.
    package func status(at now: Instant) -> Status { status == .pending && expiresAt <= now ? .expired : status }

    /// Returns the time since which the status at a moment applies, even if the control worker (`DueControl`) has not
    /// recorded it yet.
    package func updated(at now: Instant) -> Instant { status(at: now) == status ? updatedAt : expiresAt }
}
