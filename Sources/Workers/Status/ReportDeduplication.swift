import Domain
import Sodium
import Storage

/// The property by which a repeated delivery of a report is recognised.
enum ReportIdentity {
    /// The report's key in the inbox, and the report's values and time if `ReportValues` accepts the report.
    case key(InboxKey, ReportValues?)
    /// The report's values and time.
    case values(ReportValues)
    /// No property: each delivery counts as a new report.
    case none

    /// The report's values and time, or nil if `ReportValues` refuses the report.
    var values: ReportValues? {
        switch self {
        case .key(_, let values): values
        case .values(let values): values
        case .none: nil
        }
    }

    /// Determines the property by which repeats of a device's report are recognised.
    fileprivate init(_ received: ReceivedReport, from did: DeviceID, now: Instant) {
        let report = received.report
        let values = ReportValues(report, now: now)
        if let id = report.id {
            self = .key(InboxKey(did: did, id: id.text), values)
        } else if report.ts == nil {
            self = .none
        } else if let values {
            self = .values(values)
        } else {
            let digest = Sodium.base64URL(Array(Sodium.sha256(received.message.payload).prefix(18)))
            self = .key(InboxKey(did: did, id: "#" + digest), nil)
        }
    }
}

/// The time and stored values of a report that contains nothing else.
struct ReportValues {
    var json: [UInt8]
    var ts: Instant

    /// A 64-bit hash of the values.
    fileprivate var fingerprint: UInt64 { FNV1a.hash64(json) }

    /// Reads a report's time and values; nil if the report has no time, a future time, or other content.
    fileprivate init?(_ report: Report, now: Instant) {
        guard let ts = report.ts, report.isDataOnly, StatusRules.effective(ts, at: now) == ts,
            let json = HistoryAdditions.json(of: report)
        else { return nil }
        (self.json, self.ts) = (json, ts)
    }
}

/// The recognition of those reports in a batch that have already taken effect.
///
/// A report with an id is looked up in the inbox by this id. A report that has only a time and values is recognised by
/// this time and these values. Any other report that has a time is looked up in the inbox by a digest of its message. A
/// report without an id and without a time always counts as new. Nearly every report is newer than its device's earlier
/// reports. Such a report can't be a repeat. The status contains fingerprints of the reports that have the newest time
/// (`Status.Newest`). Only older reports are looked up in the history (reference: reports#acknowledged).
struct ReportDeduplication {
    /// A device and a moment.
    private struct Moment: Hashable {
        var did: DeviceID
        var ts: Instant
    }

    /// The version of the status after each earlier report, by the report's key.
    private var versions: [InboxKey: Int64] = [:]
    /// The keys of new reports, each with the status version after the report.
    private(set) var claims: [(key: InboxKey, version: Int64)] = []
    /// The values in the history at the times of late reports.
    private var past: [Moment: [[UInt8]]] = [:]

    // MARK: Load

    /// Identifies the reports among the items, and loads the data needed to recognise repeats.
    ///
    /// The method reads the status versions of keys in the inbox. For late reports, the method reads the history at
    /// the times of these reports.
    mutating func load(_ items: [StatusItem], of devices: DeviceEntries, in work: UnitOfWork) throws {
        var keys: [InboxKey] = []
        var late: [Moment] = []
        for item in items {
            guard case .report(let received) = item.input else { continue }
            received.identity = ReportIdentity(received, from: item.did, now: work.now)
            switch received.identity {
            case .key(let key, _): keys.append(key)
            case .values(let values) where devices.entries[item.place].isLate(values.ts):
                let moment = Moment(did: item.did, ts: values.ts)
                if past.updateValue([], forKey: moment) == nil { late.append(moment) }
            case .values, .none: break
            }
        }
        versions.reserveCapacity(keys.count)
        try work.tx.inbox.find(keys) { versions[keys[$0]] = $1 }
        try work.tx.history.find(late.map { ($0.did, $0.ts) }) { index, record in
            if let json = record.json { past[late[index], default: []].append(json) }
        }
    }

    // MARK: Decide

    /// Returns the status version if the report is a repeat; otherwise records its values and returns nil.
    func versionOfEarlier(
        _ identity: ReportIdentity,
        of device: DeviceEntry,
        status: inout Status,
        history: HistoryAdditions
    ) -> Int64? {
        switch identity {
        case .key(let key, let values):
            if let version = versions[key] { return version }
            if let values { _ = status.notes(values) }
            return nil
        case .values(let values):
            return isRepeat(values, of: device, status: &status, history: history) ? status.version : nil
        case .none: return nil
        }
    }

    private func isRepeat(
        _ values: ReportValues,
        of device: DeviceEntry,
        status: inout Status,
        history: HistoryAdditions
    ) -> Bool {
        if let isNew = status.notes(values) { return !isNew }
        let (json, ts) = (values.json, values.ts)
        if let first = device.newestAtLoad, first.ts == ts, first.fingerprints.contains(values.fingerprint) {
            return true
        }
        if past[Moment(did: device.did, ts: ts)]?.contains(json) == true { return true }
        return history.contains(json, ts: ts, of: device.did)
    }

    /// Records that the report with this identity has led to the status version `version`.
    mutating func claim(_ identity: ReportIdentity, version: Int64) {
        guard case .key(let key, _) = identity else { return }
        versions[key] = version
        claims.append((key, version))
    }
}

extension DeviceEntry {
    /// Returns true if only the history can show whether a report with this time is a repeat.
    fileprivate func isLate(_ ts: Instant) -> Bool {
        guard let record else { return false }
        return !record.status.isNews(ts) && !record.status.knowsReports(of: ts)
    }
}

extension Status {
    /// Returns true if no earlier report can have had this time.
    fileprivate func isNews(_ ts: Instant) -> Bool {
        if let newest, newest.ts >= ts { return false }
        return attributes.allSatisfy { $0.ts < ts }
    }

    /// Records a report's values if they are new, and returns whether they are new.
    ///
    /// If only the history can show whether the values are new, the method records nothing and returns nil.
    fileprivate mutating func notes(_ values: ReportValues) -> Bool? {
        if isNews(values.ts) {
            newest = Newest(ts: values.ts, fingerprints: [values.fingerprint])
            return true
        }
        guard knowsReports(of: values.ts) else { return nil }
        if newest?.fingerprints.contains(values.fingerprint) == true { return false }
        newest?.fingerprints.append(values.fingerprint)
        return true
    }

    /// Returns whether the status contains the fingerprints of all reports with this time.
    fileprivate func knowsReports(of ts: Instant) -> Bool {
        guard let newest else { return false }
        return newest.ts == ts && newest.fingerprints.count < Newest.fingerprintsMax
    }
}
