package import JSON

/// The options of `simulate`.
package struct SimulateOptions: Sendable {
    /// The broker's name or address.
    package var host = "127.0.0.1"
    /// The broker's port.
    package var port = 1883
    /// The first levels of all topics.
    package var root = "ll/v1"
    /// The product's document, which defines the data points that the devices report.
    package var product: JSONObject
    /// The secret with which devices register.
    package var productSecret: String
    /// The number of devices.
    package var devices = 10
    /// The number of reports that all devices together send per second.
    package var rate = 2.0
    /// The duration of the simulation, in seconds.
    package var duration = 60.0
    /// The app in which a simulated user logs in, or nil if no user is simulated.
    package var app: App?

    /// An app with its credentials.
    package struct App: Sendable {
        /// The id of the app.
        package var appID: String
        /// The secret of the app.
        package var secret: String

        /// Creates an app from its id and secret.
        package init(appID: String, secret: String) {
            (self.appID, self.secret) = (appID, secret)
        }
    }

    /// Creates options with the product's document and secret, and defaults for all else.
    package init(product: JSONObject, productSecret: String) {
        (self.product, self.productSecret) = (product, productSecret)
    }
}

/// The result of a simulation.
package struct SimulateSummary: Sendable {
    /// The number of reports, without repeats.
    package internal(set) var sent = 0
    /// The number of reports that the service has answered, whether accepted or refused.
    package internal(set) var answered = 0
    /// The number of answers that refused a report.
    package internal(set) var refused = 0
    /// The number of times that a report was sent again because its answer was missing.
    package internal(set) var resent = 0
    /// The number of commands that devices received.
    package internal(set) var commands = 0
    /// The number of connections that online devices or the app lost, plus the app's failed attempts to connect.
    ///
    /// Connections that the simulation ends at random (`Simulation.dropsOneIn`) are included.
    package internal(set) var reconnects = 0
    /// The number of messages that the app's user received.
    package internal(set) var seen = 0

    /// The number of reports without an answer at the end.
    package var lost: Int { sent - answered }

    /// The result as one line of text.
    package var text: String {
        "sent \(sent)  answered \(answered)  lost \(lost)  refused \(refused)  resent \(resent)  "
            + "commands \(commands)  reconnects \(reconnects)  seen by the app \(seen)"
    }

    /// The result as JSON.
    package var json: JSONValue {
        .object([
            "sent": .integer(Int64(sent)), "answered": .integer(Int64(answered)), "lost": .integer(Int64(lost)),
            "refused": .integer(Int64(refused)), "resent": .integer(Int64(resent)),
            "commands": .integer(Int64(commands)), "reconnects": .integer(Int64(reconnects)),
            "seen": .integer(Int64(seen)),
        ])
    }
}
