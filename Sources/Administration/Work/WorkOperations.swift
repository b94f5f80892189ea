import Domain
import JSON
import Service
import ServiceSettings
import Storage
import Workers

/// The operations on refusals and dead letters.
package enum WorkOperations {
    static let all: [Operation] = [
        Operation("listRefusals", "GET", "refusals", role: .viewer, refusals),
        Operation("countRefusals", "GET", "refusals/counts", role: .viewer, refusalCounts),
        Operation("listDeadLetters", "GET", "deadLetters", role: .viewer, letters),
        Operation("countDeadLetters", "GET", "deadLetters/counts", role: .viewer, letterCounts),
        Operation("showDeadLetter", "GET", "deadLetters/{letter}", role: .operator) { call in
            let topics = call.context.topics
            return try call.read { try DeadLetterView.whole(try letter(call, in: $0), topics, in: $0) }
        }, Operation("dropDeadLetter", "DELETE", "deadLetters/{letter}", role: .operator, drop),
        Operation(
            "replayDeadLetter",
            "POST",
            "deadLetters/{letter}/replay",
            role: .operator,
            replay
        ),
        Operation("explain", "GET", "explain/{code}", role: .viewer, explain),
    ]

    /// The maximum number of rows that a search examines.
    static let scanMax = 10_000
    /// The period for which refusals and dead letters are counted, in seconds.
    package static let daySeconds: Int64 = 86_400

    // MARK: Refusals

    private static func refusals(_ call: OperationCall) throws -> JSONObject {
        let (limit, terms) = (try call.limit(), try call.search())
        try terms.requireKeys(["reason", "action", "client", "user", "address", "device"])
        let skip = Int(try call.integer("cursor", in: 0...Int64(scanMax), default: 0))
        return try call.read { tx in
            let found = try tx.refusals.page(since: Instant(milliseconds: 0), limit: scanMax).reversed().filter {
                fits($0.refusal, terms)
            }
            let rows = try RefusalView.rows(found.dropFirst(skip).prefix(limit), in: tx)
            let isMore = found.count > skip + limit
            return Shown.page(rows, next: isMore ? "\(skip + limit)" : nil)
        }
    }

    private static func fits(_ refusal: ClientRefusal, _ terms: SearchTerms) -> Bool {
        terms.match(
            [
                "reason": [refusal.reason], "action": [refusal.action], "client": [refusal.clientID],
                "user": [refusal.username], "address": [refusal.address],
                "device": [refusal.username, refusal.clientID, refusal.topic],
            ],
            words: [
                refusal.reason, refusal.clientID, refusal.username, refusal.address,
                refusal.topic, refusal.detail,
            ]
        )
    }

    private static func refusalCounts(_ call: OperationCall) throws -> JSONObject {
        let day = call.now.adding(seconds: -daySeconds)
        return try call.read { tx in counts(try tx.refusals.counts(since: day).map { ($0.reason, $0.times) }) }
    }

    private static func counts(_ rows: [(reason: String, count: Int64)]) -> JSONObject {
        Shown.page(rows.map { JSONObject(showing: ["reason": $0.reason, "count": $0.count]) })
    }

    private static func explain(_ call: OperationCall) throws -> JSONObject {
        let code = call.parameter("code")
        guard let page = ExplainPage(named: code) else {
            throw Refused.notFound("code \(Rejection.shown(code, upTo: 64))")
        }
        return page.json.objectValue ?? [:]
    }

    // MARK: Dead letters

    private static func letters(_ call: OperationCall) throws -> JSONObject {
        let (limit, terms) = (try call.limit(), try call.search())
        try terms.requireKeys(["worker", "reason", "topic"])
        var before = try call.cursor()
        let topics = call.context.topics
        return try call.read { tx in
            var (found, looked) = ([DeadLetter](), 0)
            while looked < scanMax {
                let page = try tx.deadLetters.page(before: before, limit: 200)
                for letter in page where found.count < limit {
                    before = letter.id
                    looked += 1
                    if fits(letter, terms) { found.append(letter) }
                }
                guard page.count == 200, found.count < limit else { break }
            }
            let isMore = found.count == limit || looked >= scanMax
            return Shown.page(try DeadLetterView.rows(found, topics, in: tx), next: isMore ? "\(before)" : nil)
        }
    }

    private static func fits(_ letter: DeadLetter, _ terms: SearchTerms) -> Bool {
        let texts = ["worker": [letter.worker], "reason": [letter.reason], "topic": [letter.topic]]
        return terms.match(texts, words: [letter.worker, letter.reason, letter.topic])
    }

    private static func letterCounts(_ call: OperationCall) throws -> JSONObject {
        try call.read { tx in
            counts(try tx.deadLetters.counts(since: Instant(milliseconds: 0)))
        }
    }

    private static func letter(_ call: OperationCall, in tx: Transaction) throws -> DeadLetter {
        let number = call.parameter("letter")
        if let id = Int64(number), let found = try tx.deadLetters.find(id) { return found }
        var refused = Refused.notFound("dead letter with that number")
        refused.missing = ("dead letter", number)
        throw refused
    }

    private static func drop(_ call: OperationCall) throws -> JSONObject {
        try call.act { work, act in
            let found = try letter(call, in: work.tx)
            act.subject = "deadLetter \(found.id)"
            act.before = ["topic": .string(found.topic), "reason": .string(found.reason)]
            _ = try work.tx.deadLetters.drop(found.id)
        }
        return [:]
    }

    private static func replay(_ call: OperationCall) throws -> JSONObject {
        let found = try call.read { try letter(call, in: $0) }
        guard !found.isShapeOnly else {
            let detail = "Only the names and sizes of its values were kept, because the values may be secret."
            throw Refused(409, .forbidden, detail)
        }
        if let id = EventSubscription.webhook(ofDeadLetter: found.topic) {
            let rule = try OutboundRule(privateTargets: call.context.settings.privateTargets)
            if let failure = try WebhookReplay.run(found, to: id, in: call.context.store, under: rule) {
                throw Refused(409, .unavailable, failure)
            }
        } else {
            try ToolClient(call.context.directory, call.context.settings).replay(found)
        }
        try call.act { work, act in
            act.subject = "deadLetter \(found.id)"
            act.before = ["topic": .string(found.topic), "reason": .string(found.reason)]
            _ = try work.tx.deadLetters.drop(found.id)
        }
        return [:]
    }
}
