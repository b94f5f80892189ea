import Credentials
import Testing

@testable import Gate

@Suite("Admission of clients")
struct AdmissionTests {
    /// An attempt to connect, with the reason why the gate must refuse it (nil if it is admitted).
    struct Case: CustomTestStringConvertible, Sendable {
        var username: String?
        var password: Digest?
        var clientId: String
        var session: Session?
        var certificate: ClientCertificate?
        var outcome: RefusalReason?
        var testDescription: String { "\(username ?? "nobody") as \(clientId)" }

        init(
            _ username: String?,
            _ password: Digest?,
            _ clientId: String,
            session: Session? = nil,
            certificate: ClientCertificate? = nil,
            _ outcome: RefusalReason? = nil
        ) {
            self.username = username
            self.password = password
            self.clientId = clientId
            self.session = session
            self.certificate = certificate
            self.outcome = outcome
        }
    }

    static let cases: [Case] = [
        Case("product:\(World.key)", World.product, World.mac),
        Case("product:\(World.key)", World.product, "123456789012345"),
        Case("product:\(World.key)", World.product, "A1B2C3D4E5F6", .badClientId),
        Case("product:\(World.key)", World.product, World.did, .badClientId),
        Case("product:\(World.key)", World.device, World.mac, .badSecret),
        Case("product:unknown", World.product, World.mac, .unknownPrincipal),
        Case("device:\(World.did)", World.device, World.did),
        Case("device:\(World.did)", World.device, World.otherDid, .badClientId),
        Case("device:\(World.did)", World.device, "", .badClientId),
        Case("device:\(World.did)", World.product, World.did, .badSecret),
        Case("device:\(World.did)", nil, World.did, .noPassword),
        Case("device:\(World.otherDid)", World.device, World.otherDid, .unknownPrincipal),
        Case("device:" + World.mac, World.device, World.mac, .badClientId), Case("app:demo", World.app, World.terminal),
        Case("app:demo", World.app, World.otherTerminal), Case("app:demo", World.app, "abc", .badClientId),
        Case("app:demo", World.token, World.terminal, .badSecret),
        Case("app:other", World.app, World.terminal, .terminalOfOtherApp),
        Case("app:none", World.app, World.terminal, .unknownPrincipal),
        Case("app:demo", World.token, World.terminal, session: World.session()),
        Case(
            "app:demo",
            World.app,
            World.terminal,
            session: World.session(),
            .sessionTokenRequired
        ),
        Case("app:demo", World.device, World.terminal, session: World.session(), .badSecret),
        // The app's secret is accepted until one of the session's tokens has been used, because the answer with the
        // tokens may have been lost.
        Case("app:demo", World.app, World.terminal, session: World.session(isUsed: false)),
        Case("app:demo", World.token, World.terminal, session: World.session(isUsed: false)),
        Case(
            "app:demo",
            World.device,
            World.terminal,
            session: World.session(isUsed: false),
            .badSecret
        ),
        Case(
            "app:other",
            World.app,
            World.terminal,
            session: World.session(isUsed: false),
            .terminalOfOtherApp
        ),
        Case("app:demo", World.app, World.terminal, session: World.session(until: World.now)),
        Case(
            "app:demo",
            World.token,
            World.terminal,
            session: World.session(until: World.now),
            .badSecret
        ),
        // The app's secret is never accepted with an API key's client id. The expiry of the key doesn't change this.
        Case("app:demo", World.token, World.terminal, session: World.apiKey()),
        Case("app:demo", World.app, World.terminal, session: World.apiKey(), .sessionTokenRequired),
        Case("app:demo", World.app, World.terminal, session: World.apiKey(until: 0), .sessionTokenRequired),
        Case("app:demo", World.token, World.terminal, session: World.apiKey(until: 0), .badSecret),
        Case("service:sms", World.service, "svc.sms.1"),
        Case("service:sms", World.service, "svc.sms.", .badClientId),
        Case("service:sms", World.service, "svc.smsx.1", .badClientId),
        Case("service:sms", World.service, "svc.tools.1", .badClientId),
        Case("service:lamplighter", World.worker, "svc.lamplighter.status"),
        Case("service:lamplighter", World.service, "svc.lamplighter.x", .unknownPrincipal),
        Case("service:tools", World.worker, "svc.tools.1", .badSecret), Case(nil, World.device, World.did, .noUsername),
        Case("", World.device, World.did, .badUsername), Case("device", World.device, World.did, .badUsername),
        Case("device:", World.device, World.did, .badUsername),
        Case("Device:\(World.did)", World.device, World.did, .badUsername),
        Case("device:a/b", World.device, "a/b", .badUsername), Case("device:+", World.device, "+", .badUsername),
        Case("admin", World.device, "admin", .badUsername),
        // A device can connect without a secret only if its certificate names this device. Other clients always need a
        // secret, even if they have a certificate.
        Case("device:\(World.did)", nil, World.did, certificate: certificate()),
        Case("device:\(World.did)", World.product, World.did, certificate: certificate()),
        Case("device:\(World.did)", nil, World.did, certificate: certificate(begin: World.now)),
        Case("device:\(World.did)", nil, World.otherDid, certificate: certificate(), .badClientId),
        Case(nil, nil, World.did, certificate: certificate(), .noUsername),
        Case("device:\(World.did)", nil, World.did, certificate: certificate(of: World.otherDid), .noPassword),
        Case("device:\(World.did)", World.device, World.did, certificate: certificate(of: World.otherDid)),
        Case("device:\(World.did)", nil, World.did, certificate: .init(name: World.did, begin: 0), .noPassword),
        Case(
            "device:\(World.otherDid)",
            nil,
            World.otherDid,
            certificate: certificate(of: World.otherDid),
            .unknownPrincipal
        ),
        Case("app:demo", nil, World.terminal, certificate: certificate(), .noPassword),
        Case(
            "service:lamplighter",
            nil,
            "svc.lamplighter.x",
            certificate: certificate(),
            .noPassword
        ),
    ]

    private static func certificate(
        of did: String = World.did,
        begin: Int64 = 0
    ) -> ClientCertificate {
        ClientCertificate(name: "device/\(did)", begin: begin)
    }

    @Test(
        "A revocation invalidates certificates issued before it, for new and for existing connections"
    )
    func revokedCertificates() throws {
        let tables = World.tables(adding: [.certificates(did: World.did, from: 5_000)])
        func attempt(_ begin: Int64) -> Admission.Attempt {
            Admission.Attempt(
                username: "device:\(World.did)",
                clientId: World.did,
                certificate: Self.certificate(begin: begin)
            )
        }
        func rights(_ certificate: Int64?) -> Rights? {
            World.admission.rights(
                of: .device(did: World.did),
                secret: nil,
                certificate: certificate,
                by: tables,
                now: World.now
            )
        }

        #expect(outcome(attempt(4_999), tables) == .certificateRevoked)
        #expect(outcome(attempt(5_000), tables) == nil)
        #expect(rights(4_999) == nil)
        #expect(rights(5_000) != nil)
        // A device that connected with its secret keeps its rights when its certificates are revoked.
        #expect(rights(nil) != nil)
    }

    @Test("A removed device is refused with its certificate and with its secret") func removedDevice() {
        let tables = World.tables(adding: [.removed(.device, key: World.did)])
        let attempt = Admission.Attempt(
            username: "device:\(World.did)",
            clientId: World.did,
            certificate: Self.certificate()
        )

        #expect(outcome(attempt, tables) == .unknownPrincipal)
    }

    @Test("Each connection is admitted, or refused for the right reason", arguments: cases)
    func table(row: Case) {
        let attempt = Admission.Attempt(
            username: row.username,
            password: row.password,
            clientId: row.clientId,
            certificate: row.certificate
        )
        let tables = World.tables(session: row.session)

        #expect(outcome(attempt, tables) == row.outcome)
    }

    @Test("Without its file the gate admits only the worker named in its options")
    func closed() {
        for row in Self.cases {
            let attempt = Admission.Attempt(
                username: row.username,
                password: row.password,
                clientId: row.clientId,
                certificate: row.certificate
            )
            let isWorker = row.username == "service:lamplighter" && row.password == World.worker

            #expect((outcome(attempt, nil) == nil) == isWorker)
        }
    }

    @Test("After a revocation the terminal must present the app's secret again")
    func revoked() {
        var admission = World.admission
        admission.revoked.insert("s-1")
        let tables = World.tables(session: World.session())
        let attempt = Admission.Attempt(username: "app:demo", password: World.app, clientId: World.terminal)

        #expect(throws: Never.self) { try admission.admit(attempt, by: tables, now: World.now) }
    }

    @Test("A token's first use is recorded, and ends the use of the app's secret before the file says so")
    func firstUse() throws {
        var admission = World.admission
        let tables = World.tables(session: World.session(isUsed: false))
        func admit(_ password: Digest) throws(RefusalReason) -> Admission.Pass {
            let attempt = Admission.Attempt(username: "app:demo", password: password, clientId: World.terminal)
            return try admission.admit(attempt, by: tables, now: World.now)
        }

        let stranger = try admit(World.app)
        #expect(stranger.isSecretShared && stranger.session == nil && stranger.begun == nil)
        let own = try admit(World.token)
        #expect(!own.isSecretShared && own.session == "s-1" && own.begun?.sessionId == "s-1")
        admission.used.insert("s-1")
        #expect(throws: RefusalReason.sessionTokenRequired) { try admit(World.app) }
        #expect(try admit(World.token).begun == nil)
    }

    @Test("New client ids of an address are admitted up to the limit per minute")
    func newClients() {
        var clients = NewClients(limit: 2, addressesMax: 3)
        func admit(_ id: String, _ address: String = "192.0.2.1", at now: Int64 = 0) -> Bool {
            clients.admit(id, from: address, now: now)
        }

        #expect(admit("a") && admit("b") && admit("a"))
        #expect(!admit("c"))
        #expect(admit("c", "192.0.2.2"))
        #expect(admit("c", at: 60_000))
    }

    private func outcome(_ attempt: Admission.Attempt, _ tables: CredentialTables?) -> RefusalReason? {
        do {
            _ = try World.admission.admit(attempt, by: tables, now: World.now)
            return nil
        } catch {
            return error
        }
    }
}
