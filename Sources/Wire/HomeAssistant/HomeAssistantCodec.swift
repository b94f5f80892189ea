package import Domain
import JSON

/// A codec for links, the sessions with which users' Home Assistants connect.
package enum HomeAssistantCodec {
    /// The broker's host, its MQTT port, and whether that port requires TLS.
    package typealias Place = (host: String, port: Int, hasTLS: Bool)

    /// Reads the parameters of `session/link`, and returns the link's name.
    package static func name(_ fields: Fields) throws(Rejection) -> String {
        guard try fields.requiredText("kind", length: 1...32) == Session.linkPlatform else {
            throw fields.refuse("kind", "must be \(Session.linkPlatform)")
        }
        return try fields.text("name", length: 1...128) ?? "Home Assistant"
    }

    /// Returns the answer to `session/link`.
    package static func linked(_ session: Session, password: String, at place: Place, _ topics: Topics) -> Answer {
        let username = "ha:\(session.id)"
        let (space, device) = ("\(topics.root)/ha/\(session.id)", "\(topics.root)/user/\(session.uid)/device/+")
        // If `notifications` were true, the bridge would report its state in a retained message. The gate would refuse
        // that message.
        let bridge = """
            connection lamplighter
            address \(place.host.contains(":") ? "[\(place.host)]" : place.host):\(place.port)
            remote_username \(username)
            remote_password \(password)
            remote_clientid \(session.terminal.text.prefix(22))
            cleansession true
            notifications false
            bridge_attempt_unsubscribe false
            topic homeassistant/device/\(session.id)/+/config in 1
            topic \(device)/status in 1
            topic \(device)/event in 1
            topic \(space)/+/problem in 1
            topic \(topics.system("worker/control")) in 1
            topic \(space)/+/set out 1

            """ + (place.hasTLS ? "bridge_cafile /etc/ssl/certs/ca-certificates.crt\n" : "")
        return JSONObject(showing: [
            "sessionId": session.id, "username": username, "password": password, "host": place.host, "port": place.port,
            "tls": place.hasTLS, "bridge": bridge,
        ])
    }

    /// Returns whether a session's entry in the event log belongs to a link.
    package static func isOfLink(_ event: LoggedEvent) -> Bool {
        (try? JSONValue.parse(event.data))?.objectValue?["platform"]?.stringValue == Session.linkPlatform
    }

    /// Converts a message from Home Assistant into a request: `device/control` with the message as `data`.
    package static func controlling(_ did: DeviceID, by payload: ArraySlice<UInt8>) throws(WireError) -> [UInt8] {
        let params: JSONValue = ["did": .string(did.text), "data": .object(try Payload.object(payload))]
        return JSONObject([("id", "-"), ("params", params)]).encoded()
    }

    /// The types of the messages about Home Assistant commands that had no effect.
    package static let problems = ["refused", "failed", "expired"]

    /// Encodes the message that says that a command was refused.
    package static func refused(_ rejection: Rejection, at now: Instant) -> [UInt8] {
        JSONObject(showing: [
            "type": "refused", "reason": rejection.code.rawValue, "message": rejection.message, "ts": now,
        ]).encoded()
    }

    /// Encodes the problem with a command, or returns nil if the command is done or superseded.
    package static func problem(with command: Command, at now: Instant) -> [UInt8]? {
        guard problems.contains(command.state.rawValue) else { return nil }
        let result = CommandCodec.result(command, product: nil)
        return JSONObject(showing: ["type": result["state"], "reason": result["code"], "ts": now]).encoded()
    }
}
