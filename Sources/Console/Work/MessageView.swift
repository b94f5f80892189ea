import Domain
import JSON
import Service
import ServiceSettings
import Storage
import Workers

/// Outgoing messages as the interface shows them: those that wait, and what became of the last ones.
enum MessageView {
    /// How many there are at most.
    static let shownMax = 100

    /// Returns the newest ones (`MessagePage`).
    static func newest(_ context: ConsoleContext, in tx: Transaction) throws -> JSONObject {
        let waiting = try tx.outgoingMessages.newest(limit: shownMax)
        let known = Set(waiting.map(\.due.message.id))
        var rows = waiting.map { row, dueAt in
            Self.row(
                row,
                state: row.tries == 0 ? "waiting" : "retrying",
                dueAt: dueAt,
                isOpen: context.isDevelopment
            )
        }
        rows += context.environment.messageOutcomes.recent
            .filter { !known.contains($0.row.message.id) }
            .map { outcome in
                var row = Self.row(
                    outcome.row,
                    state: outcome.state,
                    dueAt: nil,
                    isOpen: context.isDevelopment
                )
                row["reason"] = outcome.reason.map { .string($0) }
                return row
            }
        rows.sort { ($0["createdAt"]?.intValue ?? 0) > ($1["createdAt"]?.intValue ?? 0) }
        var page = Shown.page(Array(rows.prefix(shownMax)))
        page["ways"] = .object(
            JSONObject([
                ("email", .string(way(context.settings.emailDelivery, context))),
                ("sms", .string(way(context.settings.smsDelivery, context))),
            ])
        )
        return page
    }

    private static func way(_ word: String, _ context: ConsoleContext) -> String {
        guard word == "auto" else { return word }
        return context.run.ownsBroker ? "log" : "gateway"
    }

    private static func row(
        _ due: OutgoingMessageTable.Due,
        state: String,
        dueAt: Instant?,
        isOpen: Bool
    ) -> JSONObject {
        let message = due.message
        let secret = message.params["code"] ?? message.params["url"]
        return JSONObject([
            ("messageId", .string(message.id.text)), ("channel", .string(message.channel.rawValue)),
            ("to", .string(MaskedAddress.text(message.to))),
            ("template", .string(message.template.rawValue)),
            ("appId", .string(message.app.text)), ("state", .string(state)),
            ("tries", Shown.count(due.tries)), ("dueAt", dueAt.map(Shown.moment)),
            ("createdAt", Shown.moment(due.createdAt)),
            ("expiresAt", Shown.moment(message.expiresAt)),
            ("code", isOpen ? secret.map { .string($0) } : nil),
        ])
    }
}
