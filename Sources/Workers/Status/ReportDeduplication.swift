import Domain
import Sodium
import Storage

/// The property that identifies a second delivery of a report.
enum ReportIdentity {
    /// The report's id, or a digest of its content. The report's values are recorded too, so that the status has all
    /// reports of their time.
    case key(InboxKey, ReportValues?)
    /// The report's values and its time.
    case values(ReportValues)
    /// None: each delivery counts.
    case none

    /// The values of a report of one moment.
    var values: ReportValues? {
        switch self {
        case .key(_, let values): values
        case .values(let values): values
        case .none: nil
        }
    }

    /// Identifies a device's report, received with a payload.
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

/// The values, as stored, and the time of a report that contains nothing else.
struct ReportValues {
    var json: [UInt8]
    var ts: Instant

    /// A hash of the values.
    fileprivate var fingerprint: UInt64 { FNV1a.hash64(json) }

    /// Takes a report's values; nil if it has no time, a time ahead of ours, or other content.
    fileprivate init?(_ report: Report, now: Instant) {
        guard let ts = report.ts, report.isDataOnly, StatusRules.effective(ts, at: now) == ts,
            let json = HistoryAdditions.json(of: report)
        else { return nil }
        (self.json, self.ts) = (json, ts)
    }
}

/// The recognition of reports in a batch that had their effect before.
///
/// A report with an id is looked up in the inbox. A report without an id is recognised by its time
/// and values: if it is newer than all others of its device, as nearly all are, it is new. For the
/// newest time, the status has the reports (`Status.Newest`). Only older reports need a lookup in
/// the history.
/// The rules in words (reference: reports#acknowledged).
struct ReportDeduplication {
    /// A device and a moment.
    private struct Moment: Hashable {
        var did: DeviceID
        var ts: Instant
    }

    /// The version that each known key led to.
    private var versions: [InboxKey: Int64] = [:]
    /// The keys of the batch's new reports, and the versions that they led to.
    private(set) var claims: [(key: InboxKey, version: Int64)] = []
    /// The values in the history at the times of late reports.
    private var past: [Moment: [[UInt8]]] = [:]

    // MARK: Load

    /// Identifies the reports among the items; loads the versions of known keys, and the history at the times of
    /// reports that the devices' statuses can't distinguish from repeats.
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

    /// Returns the version that an earlier delivery of a report led to; nil for a new report, whose time and values are
    /// recorded in `status`.
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

    /// Records that a report with a key has had its effect, and the resulting version.
    mutating func claim(_ identity: ReportIdentity, version: Int64) {
        guard case .key(let key, _) = identity else { return }
        versions[key] = version
        claims.append((key, version))
    }
}

extension DeviceEntry {
    /// Returns whether only the history can distinguish a report of this time from a repeat.
    fileprivate func isLate(_ ts: Instant) -> Bool {
        guard let record else { return false }
        return !record.status.isNews(ts) && !record.status.knowsReports(of: ts)
    }
}

extension Status {
    /// Returns whether no report of this time can have arrived before.
    fileprivate func isNews(_ ts: Instant) -> Bool {
        if let newest, newest.ts >= ts { return false }
        return attributes.allSatisfy { $0.ts < ts }
    }

    /// Records a report's values; returns whether they are new, or nil if only the history shows it.
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

    /// Returns whether the status has the fingerprints of all reports of this time.
    fileprivate func knowsReports(of ts: Instant) -> Bool {
        guard let newest else { return false }
        return newest.ts == ts && newest.fingerprints.count < Newest.fingerprintsMax
    }
}
