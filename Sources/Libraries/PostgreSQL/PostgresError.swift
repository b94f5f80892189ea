import CPostgreSQL

/// An error of the server, or of the connection to it.
package struct PostgresError: Error, Equatable, CustomStringConvertible {
    /// The kind of an error, which determines whether a retry can succeed.
    package enum Kind: Sendable {
        /// The server can't work now or can't be reached. A retry may succeed later.
        case server
        /// Another transaction interfered, or an answer was lost. The whole transaction can be run again.
        case conflict
        /// The statement or its values are wrong. Every retry would fail.
        case statement
    }

    /// The SQLSTATE 08007, for a commit that may have succeeded although its answer was lost.
    package static let unknownOutcome = "08007"

    /// The SQLSTATE of a statement that was cancelled because it or its transaction took too long.
    static let cancelled = "57014"
    /// The SQLSTATE 55006: the process must run alone, but another process is connected.
    package static let foe = "55006"
    /// The SQLSTATE 2201E: this process no longer holds the lane for which a transaction runs.
    ///
    /// A lane is a part of a worker's messages, and only one process at a time holds the lane. Each transaction of a
    /// lane first checks that this process still holds the lane. If it doesn't, the check computes the logarithm of 0,
    /// which is an error. No other statement causes this error. If the check fails, the server skips all later
    /// statements.
    package static let lostLane = "2201E"

    /// The SQLSTATE of five characters, or empty if the error doesn't come from the server.
    package let state: String
    /// The primary message, which contains no values.
    package let message: String

    package var description: String { state.isEmpty ? message : "\(message) (\(state))" }

    /// Makes an error, which concerns the connection if `state` is empty.
    package init(state: String = "", message: String) {
        (self.state, self.message) = (state, message)
    }

    /// Reads the error from a result (`PQresultErrorField`), or from the connection if the result contains no error.
    ///
    /// The error's detail is left out, because it can contain values.
    init(_ result: OpaquePointer?, of connection: OpaquePointer) {
        func field(_ code: Character) -> String? {
            guard let byte = code.asciiValue else { return nil }
            return PQresultErrorField(result, Int32(byte)).map { String(cString: $0) }
        }
        state = field("C") ?? ""
        message = field("M") ?? Self.message(of: connection)
    }

    /// Returns the first line of a connection's error message (`PQerrorMessage`), which contains no password.
    static func message(of connection: OpaquePointer) -> String {
        let text = String(cString: PQerrorMessage(connection))
        return text.split(separator: "\n").first.map(String.init) ?? "the connection was lost"
    }

    /// Returns the reasons why the connection failed, with one reason for each host.
    static func reasons(of connection: OpaquePointer) -> String {
        let lines = String(cString: PQerrorMessage(connection)).split(separator: "\n")
        // Lines that begin with a tab are advice for users of `psql`.
        let reasons = lines.filter { !$0.hasPrefix("\t") }.map(String.init)
        return reasons.isEmpty ? "the connection failed" : reasons.joined(separator: "; ")
    }

    /// The reason why a server can't be used although it answers.
    package enum Refusal: Sendable {
        /// The server is read-only, because it is a standby or because of its settings.
        case readOnly
        /// The server refuses the user, or doesn't have the database.
        case user
    }

    /// The reason why the server can't be used although it answers, or nil if the error has a different cause.
    ///
    /// For a refused connection, libpq provides only the server's text and no code.
    package var refusal: Refusal? {
        if state == "25006" || message.contains("session is read-only") { return .readOnly }
        if ["28", "3D"].contains(String(state.prefix(2))) { return .user }
        guard state.isEmpty else { return nil }
        let signs = ["authentication", "password", "pg_hba.conf", "does not exist", "no privileges"]
        return message.contains("FATAL") && signs.contains(where: message.contains)
            || message.contains("no password supplied") ? .user : nil
    }

    /// Whether the statement or its transaction took too long.
    package var isTooLong: Bool { state == Self.cancelled }

    /// The kind of the error, which determines whether a retry can succeed.
    ///
    /// The codes are listed in Appendix A of PostgreSQL's manual. The classes 08 (connection), 53 (resources), 58
    /// (system) and XX (damage) are server errors. The codes 57P0x (shutdown), 25006 (a standby) and 25P03 (an idle
    /// transaction) are also server errors. The code 55006 (another process is connected) is a server error too.
    /// The codes 40001 (serialization), 40P01 (deadlock) and 55P03 (lock timeout) are conflicts. Further conflicts are
    /// 57014 (too long), 23505 (unique key), 2201E (a lost lane) and 08007 (unknown outcome).
    package var kind: Kind {
        switch state {
        case "40001", "40P01", "55P03", Self.cancelled, "23505", Self.lostLane, Self.unknownOutcome: .conflict
        case "", "25006", "25P03", Self.foe: .server
        case _ where ["08", "53", "58", "XX"].contains(String(state.prefix(2))): .server
        case _ where state.hasPrefix("57P"): .server
        default: .statement
        }
    }
}
