import Load

/// An app terminal that sends requests and reads answers in a benchmark.
struct LoadTerminal: Sendable {
    var appID: String
    var terminalID: String
    var token: String
    var uid: String

    /// Returns the terminal's MQTT login.
    ///
    /// The password is the app's `secret`. If `secret` is nil, the password is the terminal's token.
    func login(secret: String? = nil) -> MQTTWriter.Login {
        .init(clientID: terminalID, username: "app:\(appID)", password: secret ?? token)
    }

    /// Returns the prefix that all topics of the terminal share.
    func space(_ root: String) -> String { "\(root)/app/\(appID)/\(terminalID)" }
}
