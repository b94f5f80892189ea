import Domain
import Storage

/// Tells a second delivery of a report without an id by its time and values (PROTOCOL 2.2).
///
/// A report that is newer than all its device has said is news, and that is nearly every one; at
/// the newest time the status itself knows what came (`Status.Newest`); only for an older one does
/// somebody look into the history.
enum Repeats {
    /// The time that makes two deliveries one; nil where an id does, where there is no time, and
    /// where more than values came.
    static func time(of report: Report, at now: Instant) -> Instant? {
        guard report.id == nil, report.isDataOnly, let ts = report.ts,
            StatusRules.effective(ts, at: now) == ts
        else { return nil }
        return ts
    }

    /// Whether a status can't tell by itself what came at a moment.
    static func needsHistory(_ ts: Instant, _ status: Status) -> Bool {
        !isNews(ts, status) && !isKnown(ts, status)
    }

    /// Whether nothing of that moment can have come before.
    static func isNews(_ ts: Instant, _ status: Status) -> Bool {
        if let newest = status.newest, newest.ts >= ts { return false }
        return status.attributes.allSatisfy { $0.ts < ts }
    }

    /// Whether the status knows all that came at a moment.
    static func isKnown(_ ts: Instant, _ status: Status) -> Bool {
        guard let newest = status.newest else { return false }
        return newest.ts == ts && newest.fingerprints.count < Status.Newest.fingerprintsMax
    }

    /// A number that two different texts hardly ever share: FNV-1a, 64 bits, the same in every process.
    static func fingerprint(_ json: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in json { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}

extension StatusBatch {
    /// Tells whether a report without an id came before; one that did not is noted in the status.
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
