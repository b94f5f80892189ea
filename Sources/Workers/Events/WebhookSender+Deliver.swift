import Domain
import Logging
import Providers
import Storage
import Wire

/// One turn of a webhook: reading the log, posting events, and storing the outcome.
extension WebhookSender {
    /// Performs one turn of a webhook, and blocks until the post has ended.
    func deliver(
        _ id: SubscriptionID,
        _ webhook: inout WebhookTurns.Webhook,
        with client: inout WebhookClient
    ) throws -> WebhookTurns.Next {
        let now = environment.clock.now
        var batch: WebhookBatch?
        webhook.ahead?.wait()
        let next = try environment.store.read(at: now) { tx in try look(id, &webhook, into: &batch, in: tx) }
        webhook.ahead = nil
        guard let batch else { return try pass(webhook) ?? next }
        if batch.isMore, let reader = webhook.reader {
            let store = environment.store
            webhook.ahead = WebhookReadahead(reader, after: batch.end, limit: batch.row.batch, in: store, at: now)
        }
        let (began, at) = (environment.clock.steady, environment.clock.now)
        var post = batch.row.post(batch.body, at: at)
        post.mayBegin = { [environment, row = batch.row] in environment.mayPost(row) }
        let outcome = client.post(post, at: at)
        if outcome.isWithdrawn { return .wait(until: Instant(milliseconds: environment.clock.now.milliseconds + 200)) }
        let milliseconds = Int64((environment.clock.steady - began) / .milliseconds(1))
        webhook.isQuick = milliseconds < Self.quickMilliseconds
        let delivery = EventDelivery(
            at: at,
            webhookID: post.id,
            events: batch.count,
            status: outcome.status,
            milliseconds: milliseconds,
            error: outcome.error
        )
        return try settle(batch, outcome, as: delivery, of: &webhook)
    }

    /// The duration below which a post counts as quick, in milliseconds.
    private static let quickMilliseconds: Int64 = 1_000

    /// Reads the subscription and its next events, and sets `batch` if there are any.
    private func look(
        _ id: SubscriptionID,
        _ webhook: inout WebhookTurns.Webhook,
        into batch: inout WebhookBatch?,
        in tx: Transaction
    ) throws -> WebhookTurns.Next {
        guard let row = try tx.eventSubscriptions.find(id), row.state == .on, row.url != nil,
            let app = try tx.apps.find(row.app)
        else { return .leave }
        webhook.begin(with: row)
        webhook.app = app
        if let due = row.dueAt, due > tx.now, due <= tx.now.adding(seconds: WebhookRules.retryAfterMax) {
            return .wait(until: due)
        }
        let reader = EventReader(app: app, filter: row.filter)
        let limit = min(row.batch, webhook.search.limit ?? row.batch)
        let ahead = webhook.ahead?.page(of: reader, after: webhook.from, limit: limit)
        let page = try ahead ?? reader.page(after: webhook.from, limit: limit, in: tx)
        let repeated = webhook.upTo.map { end in page.events.filter { $0.id <= end } } ?? page.events
        let events = repeated.isEmpty ? page.events : repeated
        guard let last = events.last?.id else {
            webhook.from = page.cursor
            return page.isMore ? .turn : .listen
        }
        batch = WebhookBatch(
            row: row,
            body: WebhookCodec.body(id, events.map(\.json)),
            count: events.count,
            last: last,
            end: events.count == page.events.count ? page.cursor : last,
            isMore: events.count == page.events.count && page.isMore
        )
        return .turn
    }

    /// Moves the stored cursor past unwanted entries, so that their deletion causes no gap.
    ///
    /// - Returns: The next step if the subscription was changed meanwhile, or nil.
    private func pass(_ webhook: WebhookTurns.Webhook) throws -> WebhookTurns.Next? {
        guard var row = webhook.row, webhook.from > row.cursor else { return nil }
        let old = row.cursor
        row.cursor = webhook.from
        let moved = try environment.store.batch(at: environment.clock.now) { tx in
            try tx.eventSubscriptions.advance(row, from: old)
        }
        return moved ? nil : .turn
    }

    // MARK: The outcome

    /// Stores the outcome of a post; if the outcome can't be stored, the post is repeated.
    private func settle(
        _ batch: WebhookBatch,
        _ outcome: WebhookClient.Outcome,
        as delivery: EventDelivery,
        of webhook: inout WebhookTurns.Webhook
    ) throws -> WebhookTurns.Next {
        var judged = webhook
        let verdict = judge(batch, outcome, of: &judged)
        judged.tries.unstored = [delivery] + judged.tries.unstored.prefix(EventDelivery.keptMax - 1)
        let age = delivery.at.milliseconds - judged.tries.storedAt.milliseconds
        let mustNote = verdict.end != .taken || !batch.isMore || !(0..<Self.noteMilliseconds).contains(age)
        let isCurrent = try environment.work(publishedBy: .reach) { work in
            guard try work.tx.eventSubscriptions.advance(verdict.row, from: batch.row.cursor) else { return false }
            if mustNote { try work.tx.eventSubscriptions.note(judged.tries.unstored, of: batch.row.id) }
            if let reason = verdict.deadLetter {
                work.effects.deadLetter(.refused, reason, topic: batch.row.deadLetterTopic, payload: batch.body)
            }
            if verdict.row.state == .disabled { try disable(verdict.row, in: work.tx) }
            return true
        }
        report(verdict, before: batch.row, of: delivery)
        // The subscription was paused or deleted during the post, or its cursor was moved. So the outcome no longer
        // matters.
        guard isCurrent else { return .turn }
        judged.row = verdict.row
        if mustNote { judged.tries = ([], delivery.at) }
        if verdict.row.cursor != batch.row.cursor { judged.from = verdict.row.cursor }
        webhook = judged
        if verdict.row.state == .disabled { return .leave }
        return verdict.row.dueAt.map { .wait(until: $0) } ?? .turn
    }

    /// Disables a webhook if its URL is still the URL to which the post was sent.
    ///
    /// The subscription is read again, because its secret or types may have changed during the post.
    private func disable(_ judged: EventSubscription, in tx: Transaction) throws {
        guard var row = try tx.eventSubscriptions.find(judged.id), row.url == judged.url else { return }
        (row.state, row.reason) = (judged.state, judged.reason)
        try tx.eventSubscriptions.save(row)
    }

    /// The minimum time between two writes of delivery attempts, in milliseconds.
    ///
    /// The attempts are written at once if a post fails, or if no more events are waiting.
    private static let noteMilliseconds: Int64 = 1_000

    private struct Verdict {
        var row: EventSubscription
        var end: WebhookMetrics.End
        /// The reason why the batch's only event becomes a dead letter, or nil.
        var deadLetter: String?
    }

    private func judge(
        _ batch: WebhookBatch,
        _ outcome: WebhookClient.Outcome,
        of webhook: inout WebhookTurns.Webhook
    ) -> Verdict {
        let now = environment.clock.now
        var verdict = Verdict(row: batch.row, end: .failed)
        let meaning = WebhookRules.meaning(of: outcome.status)
        guard meaning != .taken else {
            webhook.search.taken(batch.count)
            webhook.upTo = nil
            verdict.row.succeed(at: now, behind: batch.end)
            verdict.end = .taken
            return verdict
        }
        verdict.row.fail(at: now, outcome.error)
        webhook.upTo = batch.last
        var failures = verdict.row.tries
        if meaning == .content {
            verdict.end = .refused
            switch webhook.search.refused(batch.count) {
            case .narrow:
                webhook.upTo = nil
                failures = 0
            case .again: failures = 1
            case .giveUp:
                webhook.upTo = nil
                failures = 0
                verdict.row.cursor = batch.end
                verdict.deadLetter = "The webhook refused the event three times: \(outcome.error ?? "")"
            case .wait: break
            }
        }
        let chance = Double.random(in: -1...1)
        let pause = WebhookRules.pause(afterFailures: failures, retryAfter: outcome.retryAfter, chance: chance)
        verdict.row.dueAt = failures > 0 ? Instant(milliseconds: now.milliseconds + pause) : nil
        verdict.row.disable(if: meaning, at: now, afterDays: environment.limits.webhookDisableDays)
        return verdict
    }

    private func report(
        _ verdict: Verdict,
        before: EventSubscription,
        of delivery: EventDelivery
    ) {
        WebhookMetrics.posted(verdict.end, events: delivery.events, milliseconds: delivery.milliseconds)
        let metadata: Logger.Metadata = [
            "subscription.id": "\(before.id)", "subscription": "\(before.name)", "app.id": "\(before.app)",
            "error": "\(delivery.error ?? "")",
        ]
        if verdict.row.state == .disabled {
            logger.error("A webhook was disabled: \(verdict.row.reason ?? "")", metadata: metadata)
        } else if before.failingSince == nil, verdict.row.failingSince != nil {
            logger.warning("A webhook is failing, so its events are waiting", metadata: metadata)
        } else if before.failingSince != nil, verdict.row.failingSince == nil {
            logger.notice("A webhook accepts events again", metadata: metadata)
        }
    }
}

extension WebhookTurns.Webhook {
    /// The reader of the webhook's events, or nil before the first read.
    var reader: EventReader? {
        guard let row, let app else { return nil }
        return EventReader(app: app, filter: row.filter)
    }
}

extension EventSubscription {
    fileprivate mutating func succeed(at now: Instant, behind end: EventCursor) {
        (cursor, tries, dueAt, failingSince, lastOkAt) = (end, 0, nil, nil, now)
    }

    fileprivate mutating func fail(at now: Instant, _ error: String?) {
        tries += 1
        failingSince = failingSince ?? now
        lastError = error
    }

    /// Disables the webhook if its endpoint wants no more events or has failed for too long.
    fileprivate mutating func disable(if meaning: WebhookRules.Meaning, at now: Instant, afterDays days: Int64) {
        if meaning == .gone {
            reason = "gone: the receiver answered 410"
        } else if let failingSince, failingSince.adding(seconds: days * 86_400) <= now {
            reason = "failing: the receiver accepted no event for \(days) days"
        } else {
            return
        }
        (state, dueAt) = (.disabled, nil)
    }
}

extension Environment {
    /// Returns whether the row is unchanged and this process is still the leader.
    fileprivate func mayPost(_ row: EventSubscription) -> Bool {
        guard leadership.isHeld, let found = try? store.read(at: clock.now, { try $0.eventSubscriptions.find(row.id) })
        else { return false }
        return found.state == .on && found.url == row.url && found.cursor == row.cursor && found.filter == row.filter
            && found.secret == row.secret
    }
}
