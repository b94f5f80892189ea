import Batching
import Domain
import Storage
import Wire

/// A report, together with the message that contained it.
///
/// The type is a class because copies of a report are expensive. A batch is iterated over several times.
final class ReceivedReport {
    let report: Report
    let message: Inbound
    /// The property that identifies a repeat of the report, set when the batch is loaded.
    var identity = ReportIdentity.none

    init(_ report: Report, in message: Inbound) { (self.report, self.message) = (report, message) }
}

/// The processor of a batch's reports, which changes statuses and answers reports with ids.
struct ReportProcessor {
    /// The recognition of reports that have already taken effect.
    var deduplication = ReportDeduplication()
    /// The commands that the reports answer.
    var answers = CommandAnswers()

    /// Processes a report, and answers the report if it has an id.
    mutating func decide(
        _ received: ReceivedReport,
        of device: inout DeviceEntry,
        history: inout HistoryAdditions,
        in work: inout UnitOfWork
    ) throws {
        let report = received.report
        guard let product = device.product, var status = device.record?.status else {
            work.effects.observed.count(.refused)
            return work.refuseUnknown(device.did, received.message, id: report.id)
        }
        if let version = deduplication.versionOfEarlier(
            received.identity,
            of: device,
            status: &status,
            history: history
        ) {
            work.effects.observed.count(.repeated)
            return answer(report, of: device.did, version: version, stored: .repeat, in: &work)
        }
        switch StatusRules.decide(
            report,
            of: device.did,
            product: product,
            status: &status,
            at: work.now,
            ids: &work.ids
        )
        {
        case .failure(let rejection):
            refuse(received, of: device, because: rejection, in: &work)
        case .success(let outcome):
            work.effects.observed.count(.accepted)
            let isKept = try history.add(
                received,
                outcome,
                of: device,
                status: &status,
                in: &work
            )
            device.change(.reported, to: status)
            if try work.keepsStatuses() { device.note(changed: outcome.changed) }
            publish(report, outcome, of: device, in: &work)
            answers.recordAnswer(report, from: device.did, at: work.now)
            deduplication.claim(received.identity, version: status.version)
            let stored = isKept || outcome.stored == .state ? outcome.stored : nil
            answer(report, of: device.did, version: status.version, stored: stored, in: &work)
        }
    }

    /// Publishes a report's changes, events and bytes to the device's users.
    private func publish(
        _ report: Report,
        _ outcome: StatusRules.Outcome,
        of device: DeviceEntry,
        in work: inout UnitOfWork
    ) {
        guard !device.subscribers.isEmpty else { return }
        if outcome.isVisible {
            let sender = answers.sender(of: report, from: device)
            device.publishStatus(changed: outcome.changed, actor: sender, in: &work)
        }
        // Events of an earlier ownership period are stored, but not shown to any user.
        if let since = device.ownershipSince, outcome.ts < since { return }
        for event in outcome.events { device.publish(event, in: &work) }
        guard let binary = report.binary else { return }
        device.publish(binary: binary, ts: outcome.ts, cid: report.cid, in: &work)
    }

    private func answer(
        _ report: Report,
        of did: DeviceID,
        version: Int64,
        stored: Report.Stored?,
        in work: inout UnitOfWork
    ) {
        guard let id = report.id else { return }
        let answer = ReportCodec.accepted(id, version: version, stored: stored, at: work.now)
        work.answer(did, with: answer)
    }

    private func refuse(
        _ received: ReceivedReport,
        of device: DeviceEntry,
        because rejection: Rejection,
        in work: inout UnitOfWork
    ) {
        work.effects.observed.count(.refused)
        let isSecret = received.report.points.contains { device.product?.hides($0.data) == true }
        work.effects.deadLetter(received.message, .refused, because: rejection.message, isSecret: isSecret)
        work.refuse(received.report.id, of: device.did, because: rejection)
    }
}
