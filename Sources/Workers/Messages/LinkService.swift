package import Domain
import Providers
package import Storage
import Wire

/// Shows links and follows them, for the pages that the service serves.
///
/// Looking changes nothing, so that a program that opens every link in a mail uses none up. Following a link
/// uses it up in the transaction of its effect, or not at all.
package struct LinkService: Sendable {
    private let environment: Environment
    private let blocking: BlockingPool

    /// Uses the environment of the workers.
    package init(_ environment: Environment) {
        self.environment = environment
        blocking = BlockingPool(max: environment.limits.pagesAtOnce)
    }

    // MARK: Looking

    /// Returns the page of a link, without following it.
    package func look(_ token: String) async -> LinkView {
        await view {
            try environment.store.read { tx in
                try resolved(token, at: environment.clock.now, in: tx)
            }
            .view(.ask)
        }
    }

    /// Returns a picture by its digest, or nil.
    package func avatar(_ digest: String) async -> AvatarTable.Image? {
        try? await blocking.run { try environment.store.read { try $0.avatars.find(digest) } }
    }

    /// A link with its user, if it can be followed.
    private struct ResolvedLink: Sendable {
        var link: Link?
        var user: User?
        var appName = ""

        /// Returns the page of the link: `over` if it can't be followed.
        func view(_ step: LinkView.Step) -> LinkView {
            guard let link, let user else { return LinkView(.over) }
            return LinkView(
                step,
                kind: link.kind,
                appName: appName,
                address: MaskedAddress.text(link.address),
                language: Language.pick(
                    tag: user.profile.language,
                    countryCode: user.countryCode
                )
            )
        }
    }

    private func resolved(
        _ token: String,
        at now: Instant,
        in tx: Transaction
    ) throws -> ResolvedLink {
        guard let link = try tx.links.find(token), link.usedAt == nil, link.expiresAt > now,
            let user = try tx.accounts.find(link.uid), LinkRules.fits(link, user)
        else { return ResolvedLink() }
        return ResolvedLink(
            link: link,
            user: user,
            appName: try tx.apps.find(user.app)?.name ?? user.app.text
        )
    }

    private func view(_ body: @escaping @Sendable () throws -> LinkView) async -> LinkView {
        // Full, or the store is not available: the link stays valid.
        (try? await blocking.run(body)) ?? LinkView(.busy)
    }

    // MARK: Following

    /// Follows a link that needs only a confirmation.
    package func follow(_ token: String) async -> LinkView {
        await view {
            try commit { tx, ids, effects in
                let resolved = try resolved(token, at: tx.now, in: tx)
                guard let link = resolved.link, var user = resolved.user,
                    link.kind != .resetPassword,
                    try tx.links.use(link.kind, token) != nil,
                    try LinkRules.apply(link, to: &user, in: tx)
                else { return LinkView(.over) }
                try tx.accounts.save(user)
                if link.kind == .verifyEmail {
                    try notifyChange(from: resolved.user, to: user, &ids, in: tx, effects: &effects)
                }
                try finish(
                    link,
                    user,
                    lost: lost(resolved.user, user),
                    &ids,
                    in: tx,
                    effects: &effects
                )
                return resolved.view(.done)
            }
        }
    }

    /// Sends the address that was replaced a link to restore it, and tells the user's terminals.
    private func notifyChange(
        from before: User?,
        to user: User,
        _ ids: inout IDSource,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        guard let before, let new = user.email, before.pendingEmail == new else { return }
        let payload = AccountCodec.addressChanged(
            isPhone: false,
            of: user.uid,
            ts: tx.now,
            actor: Actor(.user, user.uid.text)
        )
        effects.publish(OutboundMessage(environment.topics.user(user.uid, "account"), payload))
        guard let old = before.email, before.isEmailVerified else { return }
        try LinkMail.notifyOldAddress(
            .email(old),
            of: before,
            new: .email(new),
            environment,
            ids: &ids,
            in: tx
        )
    }

    /// Describes what an account has lost, for the audit trail.
    private func lost(_ before: User?, _ after: User) -> [String] {
        guard let before else { return [] }
        let lost: [(String, Bool)] = [
            ("phone", before.phone != nil && after.phone == nil),
            ("email", before.email != nil && after.email == nil),
            ("username", before.username != nil && after.username == nil),
            ("password", before.passwordHash != nil && after.passwordHash == nil),
        ]
        return lost.filter(\.1).map(\.0)
            + before.providers.filter { !after.providers.contains($0) }
    }

    /// Follows a link that sets a new password.
    ///
    /// The password is hashed before the link is used up; of two visitors at the same time one succeeds.
    package func follow(_ token: String, password: String) async -> LinkView {
        let seen: ResolvedLink
        do {
            seen = try await blocking.run {
                try environment.store.batch(at: environment.clock.now) { tx in
                    try admit(token, in: tx)
                }
            }
        } catch {
            return LinkView(.busy)
        }
        guard let user = seen.user, seen.link?.kind == .resetPassword else {
            return LinkView(.over)
        }
        let bytes: [UInt8]
        do {
            bytes = try PasswordRules.check(password, names: user.names)
        } catch {
            let count = password.unicodeScalars.count
            return seen.view(
                .badPassword(PasswordRules.length.contains(count) ? .weak : .length)
            )
        }
        guard
            let hash = await environment.pool.run(
                .hash(SecretBytes(bytes)),
                for: Sender("link/\(user.uid.text)")
            ).hash
        else {
            return seen.view(.busy)
        }
        return await view { try reset(token, hash) }
    }

    /// Finds a link and counts the try, since each costs a hash.
    private func admit(_ token: String, in tx: Transaction) throws -> ResolvedLink {
        let resolved = try resolved(token, at: tx.now, in: tx)
        guard let link = resolved.link else { return resolved }
        let subject = "link/try/\(link.uid.text)"
        let limits = environment.limits
        let wait = try tx.attempts.retryAfter(
            subject,
            max: limits.linkTriesPerHour,
            windowSeconds: 3600
        )
        if wait != nil { throw BlockingPool.IsFull() }
        try tx.attempts.add(subject, windowSeconds: 3600)
        return resolved
    }

    private func reset(_ token: String, _ hash: String) throws -> LinkView {
        try commit { tx, ids, effects in
            let resolved = try resolved(token, at: tx.now, in: tx)
            guard let link = resolved.link, var user = resolved.user,
                try tx.links.use(.resetPassword, token) != nil
            else { return LinkView(.over) }
            let mailbox = Address.email(EmailAddress(trusted: link.address))
            guard try LinkRules.prove(mailbox, of: &user, in: tx) else { return LinkView(.over) }
            user.passwordHash = hash
            try tx.accounts.save(user)
            try finish(link, user, lost: lost(resolved.user, user), &ids, in: tx, effects: &effects)
            return resolved.view(.done)
        }
    }

    // MARK: Consequences

    private func finish(
        _ link: Link,
        _ user: User,
        lost: [String] = [],
        _ ids: inout IDSource,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let without = lost.isEmpty ? "" : ", without \(lost.joined(separator: ", "))"
        let actor = Actor(.user, user.uid.text)
        if link.kind != .verifyEmail {
            try PasswordTries.clear(user, in: tx)
            try SessionLifecycle.endAll(
                of: user.uid,
                reason: link.kind == .resetPassword ? .passwordReset : .terminated,
                actor: actor,
                environment.topics,
                &ids,
                in: tx,
                effects: &effects
            )
        }
        if link.kind == .resetPassword {
            for address in user.verifiedAddresses {
                try tx.codes.void(
                    CodeScope(
                        app: user.app,
                        region: user.region,
                        purpose: .resetPassword,
                        address: address
                    )
                )
            }
            try tx.outgoingMessages.add(told(of: link, user, &ids, at: tx.now))
        }
        try tx.audit.add(
            AuditEntry(
                kind: LinkRules.auditKind(link.kind),
                uid: user.uid,
                app: user.app,
                actor: actor,
                detail: "link to \(MaskedAddress.text(link.address))\(without)"
            )
        )
    }

    /// Informs the mailbox that the password has changed.
    private func told(
        of link: Link,
        _ user: User,
        _ ids: inout IDSource,
        at now: Instant
    ) -> OutgoingMessage {
        OutgoingMessage(
            id: MessageID(trusted: ids.make("m", at: now)),
            channel: .email,
            to: user.isEmailVerified ? user.email?.text ?? link.address : link.address,
            countryCode: user.countryCode,
            app: user.app,
            template: .passwordChanged,
            language: user.profile.language,
            expiresAt: now.adding(seconds: 86_400)
        )
    }

    /// Runs a transaction; the session worker publishes the messages that follow.
    private func commit(
        _ body: (Transaction, inout IDSource, inout Effects) throws -> LinkView
    ) throws -> LinkView {
        var ids = IDSource()
        let (view, hasEffects) = try environment.store.batch(at: environment.clock.now) { tx in
            var effects = Effects()
            let view = try body(tx, &ids, &effects)
            guard !effects.messages.isEmpty else { return (view, false) }
            _ = try tx.outbox.add(
                effects.messages,
                by: WorkerName.session.rawValue,
                isSecret: true
            )
            return (view, true)
        }
        if hasEffects { environment.wakeups.wake(.session) }
        return view
    }
}
