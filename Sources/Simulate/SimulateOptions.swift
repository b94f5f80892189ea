package import JSON

/// The options of `simulate`.
package struct SimulateOptions: Sendable {
    /// The broker's name or address.
    package var host = "127.0.0.1"
    /// The broker's port.
    package var port = 1883
    /// The first levels of all topics.
    package var root = "ll/v1"
    /// The product's document; its data points say what the devices report.
    package var product: JSONObject
    /// The secret with which devices register.
    package var productSecret: String
    /// The number of devices.
    package var devices = 10
    /// Reports a second, over all devices together.
    package var rate = 2.0
    /// Seconds.
    package var duration = 60.0
    /// The app that a simulated user logs in with; nil for none.
    package var app: App?

    /// An app as its terminals know it.
    package struct App: Sendable {
        /// The id of the app.
        package var appID: String
        /// The secret of the app.
        package var secret: String

        /// Names the app, and gives its secret.
        package init(appID: String, secret: String) {
            self.appID = appID
            self.secret = secret
        }
    }

    /// Takes the document of the product, and its secret; the rest has defaults.
    package init(product: JSONObject, productSecret: String) {
        self.product = product
        self.productSecret = productSecret
    }
}

/// The result of a simulation.
package struct SimulateSummary: Sendable {
    /// Reports, each counted once however often it was sent.
    package internal(set) var sent = 0
    /// Of these, how many the service has answered, kindly or not.
    package internal(set) var answered = 0
    /// Answers that refused a report.
    package internal(set) var refused = 0
    /// Reports sent again because no answer came.
    package internal(set) var resent = 0
    /// The commands that devices received.
    package internal(set) var commands = 0
    /// The connections that were lost and made again.
    package internal(set) var reconnects = 0
    /// The messages that the app's user received.
    package internal(set) var seen = 0

    /// Reports without an answer at the end.
    package var lost: Int { sent - answered }

    /// One line for people.
    package var text: String {
        "sent \(sent)  answered \(answered)  lost \(lost)  refused \(refused)  resent \(resent)  "
            + "commands \(commands)  reconnects \(reconnects)  seen by the app \(seen)"
    }

    /// The same for programs.
    package var json: JSONValue {
        .object([
            "sent": .integer(Int64(sent)), "answered": .integer(Int64(answered)),
            "lost": .integer(Int64(lost)), "refused": .integer(Int64(refused)),
            "resent": .integer(Int64(resent)), "commands": .integer(Int64(commands)),
            "reconnects": .integer(Int64(reconnects)), "seen": .integer(Int64(seen)),
        ])
    }
}
