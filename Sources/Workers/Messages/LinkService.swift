package import Domain
import Providers
package import Storage
import Wire

/// The service that shows and follows links, for the web pages that the program serves.
///
/// Opening a link changes nothing, since some mail programs open every link in a mail. The transaction in which a link
/// takes effect also uses up the link.
package struct LinkService: Sendable {
    private let environment: Environment
    private let blocking: BlockingPool

    /// Creates the service in the environment of the workers.
    package init(_ environment: Environment) {
        self.environment = environment
        blocking = BlockingPool(max: environment.limits.pagesAtOnce)
    }

    // MARK: Looking

    /// Returns the page of a link, without following the link.
    package func look(_ token: String) async -> LinkView {
        await view {
            try environment.store.read { try resolved(token, at: environment.clock.now, in: $0) }.view(.ask)
        }
    }

    /// Returns the picture with the given digest, or nil if it doesn't exist or the store is busy.
    package func avatar(_ digest: String) async -> AvatarTable.Image? {
        try? await blocking.run { try environment.store.read { try $0.avatars.find(digest) } }
    }

    /// A link and its user, both nil if the link can't be followed.
    private struct ResolvedLink: Sendable {
        var link: Link?
        var user: User?
        var appName = ""

        /// Returns the link's page, or the page `over` if the link can't be followed.
        func view(_ step: LinkView.Step) -> LinkView {
            guard let link, let user else { return LinkView(.over) }
            return LinkView(
                step,
                kind: link.kind,
                appName: appName,
                address: MaskedAddress.text(link.address),
                language: Language.pick(tag: user.profile.language, countryCode: user.countryCode)
            )
        }
    }

    private func resolved(_ token: String, at now: Instant, in tx: Transaction) throws -> ResolvedLink {
        guard let link = try tx.links.find(token), link.usedAt == nil, link.expiresAt > now,
            let user = try tx.accounts.find(link.uid), LinkRules.fits(link, user)
        else { return ResolvedLink() }
        return ResolvedLink(link: link, user: user, appName: try tx.apps.find(user.app)?.name ?? user.app.text)
    }

    /// Locks the user of a link, and all users who have the link's address.
    private func lock(_ token: String, in tx: Transaction) throws {
        try tx.lock(naming: {
            let resolved = try resolved(token, at: tx.now, in: tx)
            guard let link = resolved.link, let user = resolved.user else { return ([], []) }
            let holders = try LinkRules.address(of: link).map {
                try tx.accounts.holders(of: $0, app: user.app, region: user.region)
            }
            return (users: [user.uid] + (holders ?? []), devices: [])
        })
    }

    private func view(_ body: @escaping @Sendable () throws -> LinkView) async -> LinkView {
        // If the pool is full or the store is unavailable, the link stays valid.
        (try? await blocking.run(body)) ?? LinkView(.busy)
    }

    // MARK: Following

    /// Follows a link that needs only the user's confirmation.
    package func follow(_ token: String) async -> LinkView {
        await view { try use(token, passwordHash: nil) }
    }

    /// Uses up a link, and makes the link's change.
    ///
    /// `hash` is the new password's hash if the link sets a new password, otherwise nil.
    private func use(_ token: String, passwordHash hash: String?) throws -> LinkView {
        try environment.work(publishedBy: .session) { work in
            try lock(token, in: work.tx)
            let resolved = try resolved(token, at: work.now, in: work.tx)
            guard let link = resolved.link, var user = resolved.user,
                (link.kind == .resetPassword) == (hash != nil),
                try work.tx.links.use(link.kind, token) != nil
            else { return LinkView(.over) }
            if let hash {
                let mailbox = Address.email(EmailAddress(trusted: link.address))
                guard try LinkRules.prove(mailbox, of: &user, in: work.tx) else { return LinkView(.over) }
                user.passwordHash = hash
            } else {
                guard try LinkRules.apply(link, to: &user, in: work.tx) else { return LinkView(.over) }
            }
            try work.save(user, by: Actor(.user, user.uid.text))
            if link.kind == .verifyEmail { try notifyChange(from: resolved.user, to: user, in: &work) }
            try finish(link, user, lost: lost(resolved.user, user), in: &work)
            return resolved.view(.done)
        }
    }

    /// Sends the replaced address a link for restoring that address, and notifies the user's terminals.
    private func notifyChange(from before: User?, to user: User, in work: inout UnitOfWork) throws {
        guard let before, let new = user.email, before.pendingEmail == new else { return }
        let actor = Actor(.user, user.uid.text)
        let payload = AccountCodec.addressChanged(isPhone: false, of: user.uid, ts: work.now, actor: actor)
        work.effects.publish(OutboundMessage(work.topics.user(user.uid, "account"), payload))
        guard let old = before.email, before.isEmailVerified else { return }
        let mail = LinkMail(undoing: .email(old), of: before, replacement: .email(new))
        try mail.send(publicURL: environment.publicURL, in: &work)
    }

    /// Describes what an account has lost, for the audit trail.
    private func lost(_ before: User?, _ after: User) -> [String] {
        guard let before else { return [] }
        let lost: [(String, Bool)] = [
            ("phone", before.phone != nil && after.phone == nil), ("email", before.email != nil && after.email == nil),
            ("username", before.username != nil && after.username == nil),
            ("password", before.passwordHash != nil && after.passwordHash == nil),
        ]
        return lost.filter(\.1).map(\.0) + before.providers.filter { !after.providers.contains($0) }
    }

    /// Follows a link that sets a new password.
    ///
    /// The password is hashed before the link is used up. If two visitors follow a link at once, only one of them
    /// succeeds.
    package func follow(_ token: String, password: String) async -> LinkView {
        let admitted = try? await blocking.run {
            try environment.store.batch(at: environment.clock.now, once: true) { tx in try admit(token, in: tx) }
        }
        guard let seen = admitted else { return LinkView(.busy) }
        guard let user = seen.user, seen.link?.kind == .resetPassword else { return LinkView(.over) }
        guard let bytes = try? PasswordRules.check(password, names: user.names) else {
            let hasLength = PasswordRules.length.contains(password.unicodeScalars.count)
            return seen.view(.badPassword(hasLength ? .weak : .length))
        }
        let sender = Sender("link/\(user.uid.text)")
        let hash = await environment.pool.run(.hash(SecretBytes(bytes)), for: sender).hash
        guard let hash else { return seen.view(.busy) }
        return await view { try use(token, passwordHash: hash) }
    }

    /// Finds a link, and limits attempts per hour, since each attempt hashes a password.
    private func admit(_ token: String, in tx: Transaction) throws -> ResolvedLink {
        let resolved = try resolved(token, at: tx.now, in: tx)
        guard let link = resolved.link else { return resolved }
        let limit = AttemptTable.Limit("link/try/\(link.uid.text)", perHour: environment.limits.linkTriesPerHour)
        if try tx.attempts.take([limit]) != nil { throw BlockingPool.IsFull() }
        return resolved
    }

    // MARK: Consequences

    private func finish(_ link: Link, _ user: User, lost: [String], in work: inout UnitOfWork) throws {
        let without = lost.isEmpty ? "" : ", without \(lost.joined(separator: ", "))"
        let actor = Actor(.user, user.uid.text)
        if link.kind != .verifyEmail {
            try PasswordTries.clear(user, in: work.tx)
            try SessionLifecycle.endAll(
                of: user.uid,
                because: link.kind == .resetPassword ? .passwordReset : .terminated,
                by: actor,
                in: &work
            )
        }
        if link.kind == .resetPassword {
            try work.tx.codes.void([.resetPassword], of: user)
            // The message about the changed password is sent to the user's verified e-mail address. Without such an
            // address, the link's address gets the message.
            let mailbox = user.isEmailVerified ? user.email : nil
            let address = Address.email(mailbox ?? EmailAddress(trusted: link.address))
            try work.tx.outgoingMessages.add(OutgoingMessage(.passwordChanged, to: address, of: user, in: &work))
        }
        try work.tx.audit.add(
            AuditEntry(
                kind: LinkRules.auditKind(link.kind),
                uid: user.uid,
                app: user.app,
                actor: actor,
                detail: "link to \(MaskedAddress.text(link.address))\(without)"
            )
        )
    }
}
