import Load

/// A client of the load side that sends requests and reads: an app terminal with a session.
struct LoadTerminal: Sendable {
    var appID: String
    var terminalID: String
    var token: String
    var uid: String
}

extension LoadTerminal {
    /// Returns how it connects: with its token, or with the app's secret while it has no session.
    func login(secret: String? = nil) -> MQTTWriter.Login {
        .init(
            clientID: terminalID,
            username: "app:\(appID)",
            password: secret ?? token,
            keepAliveSeconds: LoadConnections.keepAliveSeconds
        )
    }

    /// Returns the beginning of the topics that belong to it alone.
    func space(_ root: String) -> String { "\(root)/app/\(appID)/\(terminalID)" }
}
