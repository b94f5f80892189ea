package import Domain
package import JSON
import Service
package import Storage
import Workers

/// The JSON form of outgoing messages in the console's interface: messages that still wait, and finished messages.
package enum MessageView {
    /// The maximum number of messages in one event of the console's event stream.
    static let shownMax = 100
    /// The maximum number of rows that one query reads from a table.
    private static let pageRows = 200

    /// The keys that a search term can have, each with a member of a row.
    ///
    /// A term with a key is compared with the value of that member.
    private static let keys = [
        "state": "state", "channel": "channel", "template": "template", "app": "appId", "provider": "provider",
        "to": "to",
    ]

    private typealias Line = (place: MessageRecordTable.Place, row: JSONObject)

    /// Returns the newest messages (`MessagePage`).
    package static func newest(
        _ service: RunningService,
        for role: OperatorRole,
        in tx: Transaction
    ) throws -> JSONObject {
        let terms = try SearchTerms("")
        return try page(service, terms, for: role, behind: .begin, limit: shownMax, in: tx)
    }

    /// Returns a page of the messages that match a search, the newest first (`MessagePage`).
    static func page(
        _ service: RunningService,
        _ terms: SearchTerms,
        for role: OperatorRole,
        behind place: MessageRecordTable.Place,
        limit: Int,
        in tx: Transaction
    ) throws -> JSONObject {
        try terms.requireKeys(keys.keys.sorted())
        var (place, looked, found) = (place, 0, [JSONObject]())
        while looked < WorkOperations.scanMax {
            let lines = try lines(service, behind: place, in: tx)
            for line in lines where found.count < limit {
                place = line.place
                looked += 1
                if fits(line.row, terms) { found.append(shown(line.row, to: role)) }
            }
            guard lines.count == pageRows, found.count < limit else { break }
        }
        let isMore = found.count == limit || looked >= WorkOperations.scanMax
        var page = Shown.page(found, next: isMore ? "\(place.createdAt.milliseconds).\(place.id)" : nil)
        let channels = MessageRoutes.channels
        page["ways"] = .object(
            JSONObject(channels.map { ($0.rawValue, .string(MessageRoutes.way(of: $0, service.run))) })
        )
        return page
    }

    /// Returns a message's row, and removes the sign-in code if the role isn't allowed to send messages.
    private static func shown(_ row: JSONObject, to role: OperatorRole) -> JSONObject {
        var row = row
        if role < .operator { row["code"] = nil }
        return row
    }

    /// Parses the cursor of a page.
    static func place(of cursor: String?) throws -> MessageRecordTable.Place {
        guard let cursor else { return .begin }
        let parts = cursor.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let milliseconds = Int64(parts[0]) else {
            throw Refused.invalid("cursor", "cursor must be `next` of the previous page.")
        }
        return .init(createdAt: Instant(milliseconds: milliseconds), id: parts[1])
    }

    /// Returns the row of a waiting or finished message, or nil if there's no such message.
    static func one(_ id: MessageID, _ service: RunningService, in tx: Transaction) throws -> JSONObject? {
        try tx.outgoingMessages.find(id).map { row($0, dueAt: nil, service) }
            ?? tx.messageRecords.find(id).map { row($0, service) }
    }

    private static func lines(
        _ service: RunningService,
        behind place: MessageRecordTable.Place,
        in tx: Transaction
    ) throws -> [Line] {
        let waiting = try tx.outgoingMessages.page(behind: place, limit: pageRows)
            .map { due, dueAt -> Line in
                (.init(createdAt: due.createdAt, id: due.message.id.text), row(due, dueAt: dueAt, service))
            }
        let ended = try tx.messageRecords.page(behind: place, limit: pageRows)
            .map { record -> Line in
                (.init(createdAt: record.createdAt, id: record.id.text), row(record, service))
            }
        let sorted = (waiting + ended).sorted { left, right in
            (left.place.createdAt, left.place.id) > (right.place.createdAt, right.place.id)
        }
        return Array(sorted.prefix(pageRows))
    }

    private static func fits(_ row: JSONObject, _ terms: SearchTerms) -> Bool {
        terms.terms.allSatisfy { term in
            let members = keys[term.key].map { [$0] } ?? keys.values + ["error"]
            return term.finds(anyOf: members.map { row[$0]?.stringValue }) != term.isNegated
        }
    }

    private static func row(_ due: OutgoingMessageTable.Due, dueAt: Instant?, _ service: RunningService) -> JSONObject {
        let message = due.message
        let isAgain = due.tries > 1 || due.error != nil
        let way = message.push?.address.kind.rawValue ?? MessageRoutes.way(of: message.channel, service.run)
        return JSONObject(showing: [
            "messageId": message.id, "channel": message.channel.rawValue,
            "to": message.push?.address.terminal.text ?? MaskedAddress.text(message.to),
            "template": message.template.rawValue, "appId": message.app,
            "provider": way, "state": isAgain ? "retrying" : "waiting",
            "tries": due.tries, "error": due.error, "dueAt": dueAt, "createdAt": due.createdAt,
            "expiresAt": message.expiresAt, "code": service.isDevelopment ? message.secret : nil,
        ])
    }

    private static func row(_ record: MessageRecord, _ service: RunningService) -> JSONObject {
        let secret = service.environment.messageOutcomes.shownSecret(record.id)
        return JSONObject(showing: [
            "messageId": record.id, "channel": record.channel.rawValue, "to": record.address,
            "template": record.template.rawValue, "appId": record.app,
            "provider": record.provider, "state": record.state.rawValue, "tries": record.tries,
            "error": record.error, "createdAt": record.createdAt, "endedAt": record.endedAt,
            "code": service.isDevelopment ? secret : nil,
        ])
    }
}
