package import Domain
import JSON

/// A codec for devices' reports (`report` in `schemas/messages/device.schema.json`; reference: reports#backfill).
package enum ReportCodec {
    private static let contents = ["data", "alerts", "faults", "binary", "cid", "reports"]
    /// The maximum size of an alert's or a fault's value, in bytes of JSON.
    private static let conditionValueMax = 1024

    /// Parses a report, or a batch of stored history.
    package static func decode(_ bytes: ArraySlice<UInt8>) throws(WireError) -> Report {
        let object = try Payload.object(bytes)
        return try Payload.read(object) { (fields) throws(Rejection) in
            guard contents.contains(where: { object[$0] != nil }) else {
                throw .invalid("data", "A report must contain data, alerts, faults, binary or cid.")
            }
            let id = try fields.id("id", as: MessageID.self)
            if let reports = try fields.array("reports") {
                guard contents.dropLast().allSatisfy({ object[$0] == nil }) else {
                    throw .invalid("reports", "A batch of reports can't also contain the fields of a single report.")
                }
                guard id != nil else { throw .invalid("id", "A batch of reports needs an id.") }
                let report = Report(id: id, points: try points(reports))
                return try checked(report, bytes.count)
            }
            return try checked(try report(id, fields), bytes.count)
        }
    }

    /// Refuses a report if one of its points contains too much data for a payload.
    ///
    /// The data is measured in the service's encoding. The service may encode a number with more characters than the
    /// device did. For example, the service writes `1e15` as a number of sixteen digits.
    private static func checked(
        _ report: Report,
        _ bytes: Int
    ) throws(Rejection) -> Report {
        guard bytes > Payload.bytesMax / growthMax else { return report }
        for point in report.points where point.data.encoded().count > Payload.bytesMax {
            throw .invalid("data", "The data is larger than a payload once its numbers are written out.")
        }
        return report
    }

    /// The maximum factor by which a number becomes longer when the service encodes it.
    private static let growthMax = 4

    private static func report(
        _ id: MessageID?,
        _ fields: Fields
    ) throws(Rejection) -> Report {
        let ts = try time(fields)
        return Report(
            id: id,
            ts: ts,
            cid: try fields.integer("cid"),
            code: try fields.integer("code"),
            points: try fields.object("data").map { [Report.Point(ts: ts, data: $0)] } ?? [],
            alerts: try conditions("alerts", fields),
            faults: try conditions("faults", fields),
            binary: try fields.base64("binary")
        )
    }

    private static func points(_ reports: [JSONValue]) throws(Rejection) -> [Report.Point] {
        guard (1...Report.pointsMax).contains(reports.count) else {
            throw .invalid("reports", "A batch must contain 1 to \(Report.pointsMax) reports.")
        }
        var points: [Report.Point] = []
        points.reserveCapacity(reports.count)
        for (index, value) in reports.enumerated() {
            let path = "reports.\(index)"
            guard let object = value.objectValue else { throw .invalid(path, "\(path) must be an object.") }
            let fields = Fields(object, path: path + ".")
            guard let ts = try time(fields), let data = try fields.object("data") else {
                throw .invalid(path, "\(path) must have ts and data.")
            }
            if let last = points.last?.ts, ts < last {
                throw .invalid("\(path).ts", "The reports of a batch must be in ascending order of ts.")
            }
            points.append(Report.Point(ts: ts, data: data))
        }
        return points
    }

    /// Reads the time that a device gives, but refuses a time before 2015.
    ///
    /// A device with such a time has probably sent seconds instead of milliseconds.
    private static func time(_ fields: Fields) throws(Rejection) -> Instant? {
        guard let ts = try fields.instant("ts") else { return nil }
        guard ts >= Report.earliest else {
            throw fields.refuse("ts", "is before 2015: it must be in milliseconds, not seconds")
        }
        return ts
    }

    private static func conditions(_ name: String, _ fields: Fields) throws(Rejection) -> [Report.Condition] {
        guard let array = try fields.array(name) else { return [] }
        guard array.count <= FreeForm.conditionsMax else {
            throw .invalid(name, "\(name) may have at most \(FreeForm.conditionsMax) entries.")
        }
        var conditions: [Report.Condition] = []
        for (index, value) in array.enumerated() {
            let path = "\(name).\(index)"
            guard let object = value.objectValue else {
                throw .invalid(path, "\(path) must be an object.")
            }
            let conditionName = try Fields(object, path: path + ".")
                .requiredText("name", length: 1...64)
            let value = object["value"] ?? true
            guard value.encoded().count <= conditionValueMax else {
                throw .invalid("\(path).value", "\(path).value has more than \(conditionValueMax) bytes.")
            }
            conditions.append(.init(conditionName, value: value))
        }
        return conditions
    }

    /// Encodes the answer to an accepted report: the server's time and the place where the report was stored.
    ///
    /// `stored` is nil if the report was stored nowhere. This happens to a report that belongs only in the device's
    /// history, if the history has reached its limit for the day.
    package static func accepted(_ id: MessageID, version: Int64, stored: Report.Stored?, at now: Instant) -> [UInt8] {
        var writer = JSONWriter(capacity: 144)
        writer.beginObject()
        writer.name("id")
        writer.value(id.text)
        writer.name("ok")
        writer.value(true)
        writer.name("version")
        writer.value(version)
        if let stored {
            writer.name("stored")
            writer.value(stored.rawValue)
        }
        writer.name("ts")
        writer.value(now.milliseconds)
        writer.endObject()
        return writer.finish()
    }
}
