import Domain
import Testing

@Suite("Decisions about a device's identity")
struct RegistrationRulesTests {
    enum Outcome: Sendable, Equatable {
        case create, renew, reset
        case refused(ErrorCode, asks: Bool)
    }

    /// A combination of the conditions that the rules check for a registration.
    struct Case: CustomTestStringConvertible, Sendable {
        var registration: Product.Registration
        var reset: Product.Reset
        var isListed: Bool
        var isKnown: Bool
        var isBound: Bool
        var isOnline: Bool
        /// The seconds until the reset window ends, or nil if no reset window is open.
        var window: Int64?
        var secret: Bool?
        var isLocked: Bool

        var testDescription: String {
            "\(registration) \(reset) listed=\(isListed) known=\(isKnown) bound=\(isBound) "
                + "online=\(isOnline) window=\(window ?? -1) secret=\(secret.map { "\($0)" } ?? "none") "
                + "locked=\(isLocked)"
        }

        /// The expected outcome; the conditions are checked in the same order as in the rules.
        var wanted: Outcome {
            if registration == .listed && !isListed { return .refused(.notListed, asks: false) }
            if !isKnown { return .create }
            if !isBound { return .renew }
            if window == 1 { return secret == true ? .renew : .reset }
            if secret == true { return .renew }
            if isLocked { return .refused(.tooManyRequests, asks: false) }
            if reset == .open && !isOnline { return .reset }
            return .refused(.forbidden, asks: true)
        }
    }

    static let truths = [false, true]

    static var table: [Case] {
        var rows: [Case] = []
        for registration in Product.Registration.allCases {
            for reset in Product.Reset.allCases {
                for flags in 0..<32 {
                    // The last value is longer than any reset window can be. It occurs if the clock is set back while
                    // a reset window is open.
                    for window in [nil, 0, 1, 86_401] as [Int64?] {
                        for secret in [nil, false, true] as [Bool?] {
                            rows.append(
                                Case(
                                    registration: registration,
                                    reset: reset,
                                    isListed: flags & 1 != 0,
                                    isKnown: flags & 2 != 0,
                                    isBound: flags & 4 != 0,
                                    isOnline: flags & 8 != 0,
                                    window: window,
                                    secret: secret,
                                    isLocked: flags & 16 != 0
                                )
                            )
                        }
                    }
                }
            }
        }
        return rows
    }

    @Test("Each combination of conditions has its outcome")
    func combinations() {
        for row in Self.table {
            #expect(Self.outcome(row) == row.wanted, "\(row.testDescription)")
        }
    }

    private static func outcome(_ row: Case) -> Outcome {
        let known = KnownDevice(
            did: Make.did,
            isBound: row.isBound,
            isOnline: row.isOnline,
            resetUntil: row.window.map { Make.at($0) },
            hasRightSecret: row.secret
        )
        let decision = RegistrationRules.decide(
            product: Make.product(registration: row.registration, reset: row.reset),
            isListed: row.isListed,
            known: row.isKnown ? known : nil,
            retryAfter: row.isLocked ? 60 : nil,
            at: Make.now
        )
        switch decision {
        case .create: return .create
        case .renew(let did): return did == Make.did ? .renew : .create
        case .reset(let did): return did == Make.did ? .reset : .create
        case .refuse(let rejection, let asks): return .refused(rejection.code, asks: asks == Make.did)
        }
    }

    @Test("The refusal of a locked address says when to try again")
    func retryAfter() {
        let known = KnownDevice(
            did: Make.did,
            isBound: true,
            isOnline: true,
            resetUntil: nil,
            hasRightSecret: false
        )
        let decision = RegistrationRules.decide(
            product: Make.product(),
            isListed: false,
            known: known,
            retryAfter: 60,
            at: Make.now
        )
        guard case .refuse(let rejection, _) = decision else {
            Issue.record("not refused")
            return
        }
        #expect(rejection.retryAfter == 60)
    }
}
