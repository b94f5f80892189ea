import Domain
import Sodium
import Storage

/// The property by which a second delivery of a report is recognised.
enum ReportIdentity {
    /// The report's id, or a digest of its content. The report's values are also recorded, so that the status knows all
    /// reports of the same time.
    case key(InboxKey, ReportValues?)
    /// The report's values and its time.
    case values(ReportValues)
    /// No property: each delivery counts as a new report.
    case none

    /// The report's values and their time, if the report contains nothing else.
    var values: ReportValues? {
        switch self {
        case .key(_, let values): values
        case .values(let values): values
        case .none: nil
        }
    }

    /// Determines the property by which a device's report is recognised; `payload` is the report as received.
    fileprivate init(_ report: Report, from did: DeviceID, payload: ArraySlice<UInt8>, now: Instant) {
        let values = ReportValues(report, now: now)
        if let id = report.id {
            self = .key(InboxKey(did: did, id: id.text), values)
        } else if report.ts == nil {
            self = .none
        } else if let values {
            self = .values(values)
        } else {
            let digest = Sodium.base64URL(Array(Sodium.sha256(payload).prefix(18)))
            self = .key(InboxKey(did: did, id: "#" + digest), nil)
        }
    }
}

/// The values of a report in stored form and its time, for a report that contains nothing else.
struct ReportValues {
    var json: [UInt8]
    var ts: Instant

    /// A 64-bit hash of the values.
    fileprivate var fingerprint: UInt64 { FNV1a.hash64(json) }

    /// Takes the values of a report; nil if the report has no time, a time in the future, or other content.
    fileprivate init?(_ report: Report, now: Instant) {
        guard let ts = report.ts, report.isDataOnly, StatusRules.effective(ts, at: now) == ts,
            let json = HistoryAdditions.json(of: report)
        else { return nil }
        (self.json, self.ts) = (json, ts)
    }
}

/// The recognition of reports in a batch that have already taken effect.
///
/// A report with an id is looked up in the inbox. A report without an id is recognised by its time and values. A report
/// that is newer than all other reports of its device, as nearly all reports are, is new. The status contains the
/// reports of the newest time (`Status.Newest`); only older reports must be looked up in the history. The reference
/// describes the rules (reports#acknowledged).
struct ReportDeduplication {
    /// A device and a moment.
    private struct Moment: Hashable {
        var did: DeviceID
        var ts: Instant
    }

    /// The version of the status to which the report with each known key led.
    private var versions: [InboxKey: Int64] = [:]
    /// The keys of the batch's new reports, and the versions of the status to which the reports led.
    private(set) var claims: [(key: InboxKey, version: Int64)] = []
    /// The values in the history at the times of late reports.
    private var past: [Moment: [[UInt8]]] = [:]

    // MARK: Load

    /// Identifies the reports among the items, and loads the data needed to recognise repeats.
    ///
    /// The versions of known keys are loaded, and also the history at the time of each report for which the device's
    /// status doesn't show whether the report is a repeat.
    mutating func load(_ items: inout [StatusItem], of devices: DeviceEntries, in work: UnitOfWork) throws {
        var keys: [InboxKey] = []
        var late: [Moment] = []
        for index in items.indices {
            guard case .report(let report, let message) = items[index].input else { continue }
            let did = items[index].did
            let identity = ReportIdentity(report, from: did, payload: message.payload, now: work.now)
            items[index].identity = identity
            switch identity {
            case .key(let key, _): keys.append(key)
            case .values(let values) where devices.entries[items[index].place].isLate(values.ts):
                let moment = Moment(did: did, ts: values.ts)
                if past.updateValue([], forKey: moment) == nil { late.append(moment) }
            case .values, .none: break
            }
        }
        try work.tx.inbox.find(keys) { versions[keys[$0]] = $1 }
        try work.tx.history.find(late.map { ($0.did, $0.ts) }) { index, record in
            if let json = record.json { past[late[index], default: []].append(json) }
        }
    }

    // MARK: Decide

    /// Returns the version to which an earlier delivery of a report led; nil for a new report.
    ///
    /// The time and values of a new report are recorded in `status`.
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

    /// Records that a report with a key has taken effect, and the resulting version.
    mutating func claim(_ identity: ReportIdentity, version: Int64) {
        guard case .key(let key, _) = identity else { return }
        versions[key] = version
        claims.append((key, version))
    }
}

extension DeviceEntry {
    /// Returns whether only the history can show whether a report of this time is a repeat.
    fileprivate func isLate(_ ts: Instant) -> Bool {
        guard let record else { return false }
        return !record.status.isNews(ts) && !record.status.knowsReports(of: ts)
    }
}

extension Status {
    /// Returns whether no earlier report can have had this time.
    fileprivate func isNews(_ ts: Instant) -> Bool {
        if let newest, newest.ts >= ts { return false }
        return attributes.allSatisfy { $0.ts < ts }
    }

    /// Records a report's values; returns whether the values are new, or nil if only the history can show this.
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

    /// Returns whether the status contains the fingerprints of all reports of this time.
    fileprivate func knowsReports(of ts: Instant) -> Bool {
        guard let newest else { return false }
        return newest.ts == ts && newest.fingerprints.count < Newest.fingerprintsMax
    }
}
