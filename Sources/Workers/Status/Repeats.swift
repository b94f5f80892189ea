import Domain
import Storage

/// Recognises a second delivery of a report without an id by its time and values.
///
/// A report newer than all others of its device is new; nearly every one is. For the newest time, the status itself
/// knows the reports (`Status.Newest`). Only older ones need a look into the history.
/// The rules in words (reference: reports#acknowledged).
enum Repeats {
    /// Returns the time by which a repeat is recognised; nil for a report with an id, without a time, or
    /// that answers a command (`cid`) or brings other members than values.
    static func time(of report: Report, at now: Instant) -> Instant? {
        guard report.id == nil, report.isDataOnly, let ts = report.ts,
            StatusRules.effective(ts, at: now) == ts
        else { return nil }
        return ts
    }

    /// Whether the status does not know the reports of that time.
    static func needsHistory(_ ts: Instant, _ status: Status) -> Bool {
        !isNews(ts, status) && !isKnown(ts, status)
    }

    /// Whether no report of that time can have come before.
    static func isNews(_ ts: Instant, _ status: Status) -> Bool {
        if let newest = status.newest, newest.ts >= ts { return false }
        return status.attributes.allSatisfy { $0.ts < ts }
    }

    /// Whether the status knows all reports of that time.
    static func isKnown(_ ts: Instant, _ status: Status) -> Bool {
        guard let newest = status.newest else { return false }
        return newest.ts == ts && newest.fingerprints.count < Status.Newest.fingerprintsMax
    }

    /// Returns a hash of a text: FNV-1a, 64 bits, the same in every process.
    static func fingerprint(_ json: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in json { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}

extension StatusBatch {
    /// Whether a report without an id came before; a new one is noted in the status.
    func isRepeat(
        _ json: [UInt8],
        _ ts: Instant,
        _ device: Int,
        _ status: inout Status
    ) -> Bool {
        let fingerprint = Repeats.fingerprint(json)
        if Repeats.isNews(ts, status) {
            status.newest = Status.Newest(ts: ts, fingerprints: [fingerprint])
            return false
        }
        if Repeats.isKnown(ts, status) {
            if status.newest?.fingerprints.contains(fingerprint) == true { return true }
            status.newest?.fingerprints.append(fingerprint)
            return false
        }
        if let first = newestAtFirst[device], first.ts == ts,
            first.fingerprints.contains(fingerprint)
        {
            return true
        }
        if past[Moment(device: device, ts: ts)]?.contains(json) == true { return true }
        return history.contains {
            $0.device == device && $0.record.ts == ts && $0.record.json == json
        }
    }
}
