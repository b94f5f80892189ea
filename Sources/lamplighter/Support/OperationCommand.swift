import Administration
import ArgumentParser
import Domain
import Files
import JSON
import Problems
import Web

/// A command that opens the store itself and runs a console operation in its own process.
///
/// The command prints the operation's answer as JSON or as text.
protocol OperationCommand: AsyncParsableCommand {
    /// The operation's id.
    static var operation: String { get }
    /// Whether the action is recorded in the audit trail.
    static var isNoted: Bool { get }
    /// The options of all commands that work on an installation.
    var common: CommonOptions { get }
    /// The parameters in the operation's path.
    var path: [String: String] { get }
    /// The parameters in the operation's query.
    var query: [String: String?] { get }
    /// The operation's body.
    var body: JSONObject { get }
    /// Runs the operation and returns its answer.
    ///
    /// Some commands run more operations and add their answers.
    func answer(in place: CommandContext) async throws -> JSONObject
    /// Prints an answer as text.
    func show(_ answer: JSONObject, in place: CommandContext) async throws
}

extension OperationCommand {
    static var isNoted: Bool { false }
    var path: [String: String] { [:] }
    var query: [String: String?] { [:] }
    var body: JSONObject { [:] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        try await place.run(Self.operation, path, query: query, body: body, isNoted: Self.isNoted)
    }

    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        let answer: JSONObject
        do {
            answer = try await self.answer(in: place)
        } catch let rejection as Rejection {
            throw place.problem(of: Refused(rejection), cure: nil)
        }
        guard !common.output.json else { return Terminal.show(.object(answer)) }
        try await show(answer, in: place)
    }
}

/// A command that lists the rows of an operation in a table.
protocol ListCommand: OperationCommand {
    /// The columns of the table.
    static var columns: [Column] { get }
}

extension ListCommand {
    func show(_ answer: JSONObject, in place: CommandContext) { Terminal.show(answer.items, Self.columns) }
}

extension CommandContext {
    /// The context that operations need, with the store and the settings.
    var operations: OperationContext { OperationContext(store, settings, in: directory, consoleURL: consoleURL) }

    /// Runs an operation and returns the operation's answer.
    ///
    /// The operation is run on behalf of an admin who is called `name`.
    ///
    /// - Throws: A `Problem`, a `ValidationError` or a `Rejection` if the operation refuses the request.
    func run(
        _ id: String,
        _ path: [String: String] = [:],
        query: [String: String?] = [:],
        body: JSONObject = [:],
        by name: String = "cli",
        isNoted: Bool = false,
        cure: Problem.Cure? = nil
    ) async throws -> JSONObject {
        let call = OperationCall(
            Operations.named(id),
            with: path,
            request: ConsoleRequest(query: query.compactMapValues(\.self)),
            body: body,
            by: Caller(name: name, role: .admin),
            in: operations,
            notesActs: isNoted
        )
        do {
            return try await call.run().object ?? [:]
        } catch let refused as Refused {
            throw error(of: refused, cure: cure)
        }
    }

    private func error(of refused: Refused, cure: Problem.Cure?) -> any Error {
        if let missing = refused.missing { return self.missing(missing.noun, missing.name) }
        let options = ["query": "--search", "cursor": "--after", "limit": "--limit"]
        if let option = refused.field.flatMap({ options[$0] }) {
            return ValidationError("\(option): \(refused.detail)")
        }
        return problem(of: refused, cure: cure)
    }

    /// Returns the problem to report when an operation refuses a request.
    func problem(of refused: Refused, cure: Problem.Cure?) -> Problem {
        Problem(
            ProblemCode(rawValue: refused.code) ?? Self.codes[refused.status] ?? .documentInvalid,
            refused.detail,
            at: refused.field,
            why: "the console refuses the same",
            cures: cure.map { [$0] } ?? []
        )
    }

    /// The problem codes by HTTP status; a status that is missing here means a bad request.
    private static let codes: [Int: ProblemCode] = [
        404: .notFound, 409: .conflict, 412: .conflict, 500: .unexpected, 503: .notRunning,
    ]

    private static let reasons = [
        "app": "no app with that id was imported",
        "dead letter": "it was dropped, replayed, or displaced by newer dead letters",
        "device": "no device with that id has registered", "operator": "no operator with that name was added",
        "key": "no key with that id was made, or it has ended", "product": "no product with that key was imported",
        "schedule": "no schedule with that id was made, or it was deleted",
        "subscription": "no subscription with that id was made, or it was removed",
        "service": "no service with that name was added, or it was removed",
        "session": "the session has ended, or there never was a session with that id",
        "user": "no user with that id has registered, or it was erased",
    ]
    private static let nouns = [
        "appId": "app", "did": "device", "keyId": "key", "productKey": "product", "scheduleId": "schedule",
        "sessionId": "session", "subscriptionId": "subscription",
        "uid": "user",
    ]

    /// Returns the problem for something that doesn't exist; its cure is the command that lists such things.
    func missing(_ noun: String, _ name: String) -> Problem {
        let noun = Self.nouns[noun] ?? noun
        let command = "lamplighter \(noun.filter { $0 != " " }) list --data '\(directory.path)'"
        return .notFound(noun: noun, name: name, why: Self.reasons[noun] ?? "it doesn't exist", command: command)
    }
}
