import Load

/// A client that sends requests and reads answers: an app terminal with a session.
struct LoadTerminal: Sendable {
    var appID: String
    var terminalID: String
    var token: String
    var uid: String

    /// Returns the login with the terminal's token, or with the app's secret if it has no session.
    func login(secret: String? = nil) -> MQTTWriter.Login {
        .init(
            clientID: terminalID,
            username: "app:\(appID)",
            password: secret ?? token,
            keepAliveSeconds: LoadConnections.keepAliveSeconds
        )
    }

    /// Returns the beginning of the terminal's own topics.
    func space(_ root: String) -> String { "\(root)/app/\(appID)/\(terminalID)" }
}
