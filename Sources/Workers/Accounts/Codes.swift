import Domain
import Sodium
import Storage
import Wire

/// The methods `account/sendCode`, `checkCode` and `verifyOperation`.
enum Codes {
    static let methods: [String: Method] = [
        "account/sendCode": Method(needsToken: false, run: send),
        "account/checkCode": Method(needsToken: false, prepare: prepareCheck, run: check),
        "account/verifyOperation": Method(prepare: prepareVerify, run: verify),
    ]

    // MARK: Sending

    @Sendable
    private static func send(_ call: inout Call) throws -> Reply {
        let parameters = try CodeParameters(call.fields, in: call.regions)
        let (place, address) = (parameters.place, parameters.address)
        let purpose = parameters.purpose
        let asker = try asker(purpose, to: address, &call)
        let scope = scope(of: parameters, call)
        let owner = try owner(of: address, for: purpose, at: place, call)
        let isForNobody = owner == nil && isForKnownOnly(purpose, address)
        if isForNobody { try call.reveal(owner) }
        try CodeLimits.count(scope, at: place, call)
        let code = code()
        let token = Sodium.base64URL(Sodium.randomBytes(16))
        let expiresAt = call.tx.now.adding(seconds: CodeRules.lifeSeconds)
        try call.tx.codes.save(code, for: scope, token: token, expiresAt: expiresAt)
        let requestID = call.work.makeID("r")
        var message = OutgoingMessage(
            .code,
            to: address,
            countryCode: place.countryCode,
            language: (owner ?? asker)?.profile.language,
            app: call.app.id,
            in: &call.work
        )
        message.params = ["code": code, "purpose": purpose.rawValue, "minutes": "\(CodeRules.lifeSeconds / 60)"]
        message.origin = .init(terminal: call.request.terminal, app: call.app.id, requestID: requestID)
        (message.expiresAt, message.isDummy) = (expiresAt, isForNobody)
        try call.tx.outgoingMessages.add(message)
        let detail = "\(purpose.rawValue) \(MaskedAddress.text(address.text))"
        try call.audit(.codeSent, of: (asker ?? owner)?.uid, detail: detail)
        let (life, pause) = (CodeRules.lifeSeconds, CodeLimits.pauseSeconds)
        let answer = CodeCodec.sent(requestID: requestID, token: token, lifeSeconds: life, pauseSeconds: pause)
        return .result(answer, isSecret: true)
    }

    /// Returns the user to whom an address belongs.
    ///
    /// For the purpose `resetPassword`, this is the user whose password can be reset with the address. For any other
    /// purpose, this is the user who verified the address.
    private static func owner(
        of address: Address,
        for purpose: CodePurpose,
        at place: RequestRegion,
        _ call: Call
    ) throws -> User? {
        guard purpose != .resetPassword else { return try Passwords.resettable(address, region: place.region, call) }
        return try call.tx.accounts.find(proved: address, app: call.app.id, region: place.region)
    }

    /// Returns whether only accounts' addresses get a code.
    ///
    /// A request for any other address gets the same answer, unless the app reveals which accounts exist.
    private static func isForKnownOnly(_ purpose: CodePurpose, _ address: Address) -> Bool {
        switch (purpose, address) {
        case (.resetPassword, _), (.login, .email): true
        default: false
        }
    }

    /// Returns the caller if the purpose requires a session, or else nil.
    ///
    /// - Throws: `Rejection` if the caller may not request a code for this purpose and address.
    private static func asker(_ purpose: CodePurpose, to address: Address, _ call: inout Call) throws -> User? {
        if purpose == .register, case .phone = address, !call.app.policies.phoneRegistration {
            throw AppPolicies.phoneIsOff
        }
        guard purpose.needsSession else { return nil }
        call.session = try TokenCheck.session(of: call.request, in: call.tx)
        let user = try call.user()
        if purpose == .logoutTerminal, !user.verifiedAddresses.contains(address) {
            throw Rejection(.forbidden, "This code is sent only to your own verified addresses.")
        }
        return user
    }

    private static func code() -> String {
        let digits = String(Int.random(in: 0..<1_000_000, using: &SecureRandom.source))
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    // MARK: Checking

    @Sendable
    private static func prepareCheck(_ call: inout Call) throws -> BackgroundTask? {
        let parameters = try CodeCheckParameters(call.fields, in: call.regions)
        let scope = scope(of: parameters.sent, call)
        return try CodeCheck.count(parameters.proof, of: scope, call) ? .commit : nil
    }

    @Sendable
    private static func check(_ call: inout Call) throws -> Reply {
        let parameters = try CodeCheckParameters(call.fields, in: call.regions)
        let scope = scope(of: parameters.sent, call)
        let isValid = try call.isPrepared && CodeCheck.matches(parameters.proof, of: scope, call)
        if !isValid { try CodeCheck.noteFailure(of: scope, call) }
        return .result(CodeCodec.checked(isValid: isValid))
    }

    private static func scope(of sent: CodeParameters, _ call: Call) -> CodeScope {
        call.codeScope(sent.purpose, sent.address, region: sent.place.region)
    }

    // MARK: Tickets

    @Sendable
    private static func prepareVerify(_ call: inout Call) throws -> BackgroundTask? {
        let parameters = try ProvedAddressParameters(call.fields, in: call.regions)
        return try CodeCheck.prepare(parameters.proof, of: operationScope(parameters, call), call)
    }

    @Sendable
    private static func verify(_ call: inout Call) throws -> Reply {
        let parameters = try ProvedAddressParameters(call.fields, in: call.regions)
        let scope = operationScope(parameters, call)
        guard try CodeCheck.use(parameters.proof, of: scope, call) else {
            return try CodeCheck.refusal(of: scope, call)
        }
        let ticket = try call.tx.codes.makeTicket(
            for: scope,
            on: call.request.terminal,
            expiresAt: call.tx.now.adding(seconds: CodeRules.ticketSeconds)
        )
        return .result(CodeCodec.ticket(ticket, seconds: CodeRules.ticketSeconds), isSecret: true)
    }

    private static func operationScope(_ parameters: ProvedAddressParameters, _ call: Call) -> CodeScope {
        call.codeScope(.operation, parameters.address, region: parameters.place.region)
    }
}

/// A generator of unpredictable random numbers for the standard library.
struct SecureRandom: RandomNumberGenerator {
    /// The shared source of random numbers, which has no state.
    static var source: SecureRandom {
        get { SecureRandom() }
        set {}
    }

    mutating func next() -> UInt64 {
        Sodium.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
