import Domain
import JSON
import Storage
import Web
import Workers

/// The operations on outgoing messages.
enum MessageOperations {
    static let all: [Operation] = [
        Operation("listMessages", "GET", "messages", role: .viewer, list),
        Operation("sendTestMessage", "POST", "messages/test", role: .operator, sendTest),
        Operation("resendMessage", "POST", "messages/{messageId}/resend", role: .operator, resend),
    ]

    private static func list(_ call: OperationCall) throws -> JSONObject {
        let (limit, terms) = (try call.limit(), try call.search())
        let place = try MessageView.place(of: call.request.query["cursor"])
        return try call.read { tx in
            try MessageView.page(call.service(), terms, for: call.caller.role, behind: place, limit: limit, in: tx)
        }
    }

    private static func resend(_ call: OperationCall) throws -> JSONObject {
        let id = try call.id("messageId", MessageKind.self)
        try call.act { work, act in
            guard let due = try work.tx.outgoingMessages.find(id), !due.message.isDummy else {
                throw Refused.notFound("waiting message \(id); the text of a sent message is not kept")
            }
            act.subject = "message \(id)"
            try work.tx.outgoingMessages.retry(id)
        }
        return [:]
    }

    // MARK: Test messages

    private struct Recipient {
        var channel: OutgoingMessage.Channel
        var to: String
        var countryCode: String?
    }

    private static func sendTest(_ call: OperationCall) throws -> JSONObject {
        let recipient = try recipient(call)
        guard let app = call.body["appId"]?.stringValue.flatMap({ AppID($0) }) else {
            throw Refused.invalid("appId", "appId must be the app in whose name the message is sent.")
        }
        let language = call.body["language"]?.stringValue
        guard language.map({ Language(rawValue: $0) != nil }) ?? true else {
            throw Refused.invalid("language", "language must be en or zh.")
        }
        let id = try call.act { work, act in
            guard try work.tx.apps.find(app) != nil else { throw Refused.notFound("app", app.text) }
            try call.take("testMessage", Operator.testMessagesPerHour, in: work.tx)
            let id = MessageID(trusted: work.makeID("m"))
            act = Act(subject: "message \(id)", app: app)
            act.after = [
                "channel": .string(recipient.channel.rawValue), "to": .string(MaskedAddress.text(recipient.to)),
            ]
            try work.tx.outgoingMessages.add(
                OutgoingMessage(
                    id: id,
                    channel: recipient.channel,
                    to: recipient.to,
                    countryCode: recipient.countryCode,
                    app: app,
                    template: .test,
                    language: language,
                    expiresAt: work.now.adding(seconds: Operator.testMessageSeconds)
                )
            )
            return id
        }
        return try call.read { tx in
            guard let row = try MessageView.one(id, call.service(), in: tx) else {
                throw Refused.notFound("message \(id)")
            }
            return row
        }
    }

    private static func recipient(_ call: OperationCall) throws -> Recipient {
        let to = call.body["to"]?.stringValue ?? ""
        switch call.body["channel"]?.stringValue {
        case OutgoingMessage.Channel.email.rawValue:
            guard let address = EmailAddress(to) else { throw Refused.invalid("to", "to is not an e-mail address.") }
            return Recipient(channel: .email, to: address.text)
        case OutgoingMessage.Channel.sms.rawValue:
            // A separator must follow the country code, to show where the country code ends.
            let digits = to.drop { $0 == "+" }.prefix { $0.isASCII && $0.isNumber }
            guard to.hasPrefix("+"), CountryCode.accepts(String(digits)),
                let phone = Phone(to, countryCode: String(digits))
            else {
                throw Refused.invalid("to", "to must be a number such as +49 1511 2345678.")
            }
            return Recipient(
                channel: .sms,
                to: phone.national,
                countryCode: phone.countryCode
            )
        default: throw Refused.invalid("channel", "channel must be email or sms.")
        }
    }
}

extension OperationCall {
    /// Counts an action that sends a message or contacts another server.
    ///
    /// Each operator can perform up to `max` actions of the same kind within an hour.
    ///
    /// - Throws: `Rejection` with `TooManyRequests`.
    func take(_ what: String, _ max: Int, in tx: Transaction) throws {
        let limit = AttemptTable.Limit("operator/\(what)/\(caller.name)", max: max, windowSeconds: 3600)
        if let wait = try tx.attempts.take([limit]) {
            let text = "That was done \(max) times within an hour; try again later."
            throw Rejection(.tooManyRequests, text, retryAfter: wait)
        }
    }
}
