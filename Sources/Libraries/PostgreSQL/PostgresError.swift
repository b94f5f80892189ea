import CPostgreSQL

/// An error of the server, or of the connection to it.
package struct PostgresError: Error, Equatable, CustomStringConvertible {
    /// The remedy for an error.
    package enum Kind: Sendable {
        /// The server can't work now, or can't be reached: a retry may succeed later.
        case server
        /// Another transaction interfered, or an answer was lost: the whole transaction may be run again.
        case conflict
        /// The statement or its values are wrong: a retry fails every time.
        case statement
    }

    /// The state of a commit whose answer was lost (08007): it may have been carried out.
    package static let unknownOutcome = "08007"

    /// The state of a statement that was cancelled because it, or its transaction, took too long.
    static let cancelled = "57014"
    /// The state of a session whose process must not run beside another that is connected (55006, an object in use).
    package static let foe = "55006"
    /// The state of a lane's check that finds another process in it: the logarithm of 0, which nothing else computes.
    ///
    /// As an error it makes the server skip everything sent after it.
    package static let lostLane = "2201E"

    /// The SQLSTATE, five characters; empty if the error isn't the server's.
    package let state: String
    /// The primary message, which shows no values.
    package let message: String

    package var description: String { state.isEmpty ? message : "\(message) (\(state))" }

    /// Makes an error; without a state it is an error of the connection.
    package init(state: String = "", message: String) {
        self.state = state
        self.message = message
    }

    /// Reads the server's error for a result (`PQresultErrorField`), or else the connection's.
    ///
    /// The detail is left out: it shows values.
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

    /// Returns why no host could be connected to, with a reason for each.
    static func reasons(of connection: OpaquePointer) -> String {
        let lines = String(cString: PQerrorMessage(connection)).split(separator: "\n")
        // The other lines are advice for users of `psql`.
        let reasons = lines.filter { !$0.hasPrefix("\t") }.map(String.init)
        return reasons.isEmpty ? "the connection failed" : reasons.joined(separator: "; ")
    }

    /// The reason why a server that answers can't be used.
    package enum Refusal: Sendable {
        /// It is read-only: a standby, or by its settings.
        case readOnly
        /// It refuses the user, or has no such database.
        case user
    }

    /// The reason why a server that answers can't be used; nil for all other errors.
    ///
    /// For a refused connection, libpq gives no code, only the server's text.
    package var refusal: Refusal? {
        if state == "25006" || message.contains("session is read-only") { return .readOnly }
        if ["28", "3D"].contains(String(state.prefix(2))) { return .user }
        guard state.isEmpty else { return nil }
        let signs = ["authentication", "password", "pg_hba.conf", "does not exist", "no privileges"]
        return message.contains("FATAL") && signs.contains(where: message.contains)
            || message.contains("no password supplied") ? .user : nil
    }

    /// Whether the statement, or its transaction, took too long.
    package var isTooLong: Bool { state == Self.cancelled }

    /// The remedy for the error.
    ///
    /// By the classes and codes of PostgreSQL's Appendix A: 08 connection, 53 resources, 57P0x shutdown, 58 system, XX
    /// damage, 25006 a standby, 25P03 an idle transaction and 55006 a process that must not work beside this one are
    /// the server's; 40001 serialization, 40P01 deadlock, 55P03 lock time-out, 57014 too long, 23505 unique key, 2201E
    /// a lost lane and 08007 an unknown outcome are conflicts.
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
