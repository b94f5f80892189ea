import Domain
import Storage
import Wire

/// The addressee of an invitation by name, who may have no account.
struct Invited {
    /// The name, normalized for comparisons.
    let key: String
    /// The masked name, which the inviter sees.
    let addressee: Sharing.Addressee
    /// The user with this name in the inviter's app and region, if any.
    let user: User?

    /// Reads the name in an invitation, and finds the user with this name.
    ///
    /// If the invitation is made by code, the result is nil.
    init?(_ parameters: InvitationParameters, _ call: Call) throws {
        guard parameters.way == .user else { return nil }
        let inviter = try call.user()
        guard let name = try parameters.invitedName(ofCountry: inviter.countryCode) else { return nil }
        let masked: String
        switch name.name {
        case .login(let login):
            key = login.key
            masked = Self.masked(login, name.value)
            user = try Self.find(login, by: inviter, call)
        case .id(let uid):
            key = "uid \(name.value)"
            masked = MaskedAddress.text(name.value)
            user = try Self.find(uid, named: name, by: inviter, call)
        }
        addressee = Sharing.Addressee(name.kind, masked: masked)
    }

    private static func masked(_ login: LoginName, _ value: String) -> String {
        if case .username(let username) = login { return MaskedAddress.name(username.text) }
        return MaskedAddress.text(login.address?.text ?? value)
    }

    /// Finds the user with a login name.
    ///
    /// If the login name is an address and the app verifies addresses, the user must have verified this address.
    /// Without this condition, a user could get the invitations of another user.
    private static func find(_ name: LoginName, by inviter: User, _ call: Call) throws -> User? {
        let found = try call.tx.accounts.find(name, app: call.app.id, region: inviter.region)
        guard let found, let address = name.address else { return found }
        let isProved = found.verifiedAddresses.contains(address) || !call.app.policies.emailVerification
        return isProved ? found : nil
    }

    /// Finds a user by id, or an anonymous user by the `deviceId` of an installation.
    private static func find(_ uid: UserID, named name: InvitedName, by inviter: User, _ call: Call) throws -> User? {
        var found = try call.tx.accounts.find(uid)
        let (app, region) = (call.app.id, inviter.region)
        if name.kind == .anonymous {
            if found?.isAnonymous != true { found = nil }
            if found == nil, (16...64).contains(name.value.utf8.count) {
                found = try call.tx.accounts.findAnonymous(deviceID: name.value, app: app, region: region)
            }
        }
        return found.flatMap { $0.app == app && $0.region == region ? $0 : nil }
    }
}
