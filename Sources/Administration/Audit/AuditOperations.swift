import Domain
import JSON
import Storage

/// The operations on the audit trail.
enum AuditOperations {
    static let all: [Operation] = [
        Operation("listAudit", "GET", "audit", role: .viewer, list),
        Operation("exportAudit", "GET", "audit/export", role: .admin, work: .blocking(export)),
    ]

    private static let exportMax = 100_000

    /// Returns a page of the audit trail's lines as JSON.
    static func page(
        _ page: (lines: [(id: Int64, entry: AuditEntry)], next: Int64?),
        in tx: Transaction
    ) throws -> JSONObject { Shown.page(try AuditView.rows(page.lines, in: tx), next: page.next.map { String($0) }) }

    private static func list(_ call: OperationCall) throws -> JSONObject {
        let (limit, before, terms) = (try call.limit(), try call.cursor(), try search(call))
        return try call.read { tx in try page(tx.audit.page(before: before, limit: limit) { fits($0, terms) }, in: tx) }
    }

    private static func search(_ call: OperationCall) throws -> SearchTerms {
        let terms = try call.search()
        try terms.requireKeys(["kind", "act", "operator", "user", "app", "subject"])
        return terms
    }

    private static func fits(_ entry: AuditEntry, _ terms: SearchTerms) -> Bool {
        let act = entry.kind == .operatorAct ? entry.detail : nil
        let isOfOperator = entry.actor.kind == .operator
        return terms.match(
            [
                "kind": [entry.kind.rawValue], "act": [act], "operator": [isOfOperator ? entry.actor.id : nil],
                "user": [entry.uid?.text], "app": [entry.app?.text], "subject": [entry.subject],
            ],
            words: [entry.kind.rawValue, entry.detail, entry.subject, entry.uid?.text, entry.actor.id]
        )
    }

    private static func export(_ call: OperationCall) throws -> Reply {
        let terms = try search(call)
        let lines = try call.read { tx in
            try tx.audit.page(limit: exportMax, scanMax: 10 * exportMax) { fits($0, terms) }.lines
        }
        var text = CSV.line([
            "time", "kind", "act", "subject", "actorKind", "actor", "uid", "appId", "detail", "before", "after",
        ])
        for (_, entry) in lines {
            let isAct = entry.kind == .operatorAct
            text += CSV.line([
                CSV.time(entry.at), entry.kind.rawValue, isAct ? entry.detail ?? "" : "", entry.subject ?? "",
                entry.actor.kind.rawValue, entry.actor.id, entry.uid?.text ?? "", entry.app?.text ?? "",
                isAct ? "" : entry.detail ?? "", CSV.text(entry.before), CSV.text(entry.after),
            ])
        }
        return Reply(.file(Array(text.utf8), mediaType: "text/csv; charset=utf-8", name: "audit.csv"))
    }
}
