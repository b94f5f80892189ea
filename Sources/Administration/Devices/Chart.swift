import Domain
import Foundation
import JSON
import Storage
import Web

/// A chart of one data point's values in a period, summarized for each time step.
struct Chart {
    private let call: OperationCall
    private let name: String
    private let from: Instant
    private let to: Instant
    private let step: TimeStep
    private let stepText: String
    private let zone: TimeZone

    /// The maximum number of steps in a chart.
    private static let rowsMax = 2000
    /// The time steps from which one is chosen if the request names no step, the shortest first.
    private static let steps: [(text: String, milliseconds: Int64)] = [
        ("1s", 1000), ("5s", 5000), ("15s", 15_000), ("1m", 60_000), ("5m", 300_000),
        ("15m", 900_000), ("1h", 3_600_000),
        ("6h", 21_600_000), ("1d", 86_400_000), ("1w", 604_800_000), ("1M", 2_592_000_000),
    ]
    /// The approximate maximum number of steps in a chart if the request doesn't choose the step's length.
    private static let rowsWanted: Int64 = 400
    private static let dayMilliseconds: Int64 = 86_400_000

    init(_ call: OperationCall) throws {
        self.call = call
        guard let name = call.request.query["name"], !name.isEmpty else {
            throw Refused.invalid("name", "name must be a data point.")
        }
        self.name = name
        (from, to) = try Self.period(call)
        let length = to.milliseconds - from.milliseconds
        let text =
            call.request.query["step"]
            ?? Self.steps.first { length / $0.milliseconds <= Self.rowsWanted }?.text ?? "1M"
        guard let step = TimeStep(text, isFine: true) else {
            throw Refused.invalid("step", "step must be 5s, 1m, 15m, 1h, 1d, 1w, 1M or the like.")
        }
        (self.step, stepText) = (step, text)
        guard let zone = TimeZone(identifier: call.request.query["zone"] ?? "UTC") else {
            throw Refused.invalid("zone", "zone must be an IANA time zone such as Europe/Berlin.")
        }
        self.zone = zone
    }

    /// Returns the requested period, by default the last day.
    static func period(_ call: OperationCall) throws -> (from: Instant, to: Instant) {
        let range = 0...JSONValue.integerMax
        let to = try call.integer("to", in: range, default: call.now.milliseconds)
        let from = try call.integer("from", in: range, default: max(0, to - dayMilliseconds))
        guard from < to else { throw Refused.invalid("from", "from must be before to.") }
        return (Instant(milliseconds: from), Instant(milliseconds: to))
    }

    /// Returns the chart as JSON (`Chart`).
    func reply() throws -> JSONObject {
        let (device, product) = try call.read { tx in
            let device = try DeviceOperations.device(call, in: tx).device
            return (device, try tx.products.find(device.productKey))
        }
        let point = product?.point(name)
        guard point?.access != .writeOnly else {
            throw Refused(403, .forbidden, "\(name) is write-only: its values are never shown.")
        }
        var sums = ChartSums(step: step, zone: zone, rowsMax: Self.rowsMax)
        let reading = ChartReading(store: call.store, did: device.did, name: name, from: from, to: to)
        let isCut = try reading.read(into: &sums)
        let (rows, isLong) = sums.finish()
        return JSONObject(showing: [
            "name": name, "kind": point?.kind.rawValue ?? "any", "unit": point?.unit,
            "values": point.flatMap { $0.values.isEmpty ? nil : $0.values }, "from": from,
            "to": to, "step": stepText, "zone": zone.identifier, "rows": rows,
            "isCut": isCut || isLong,
        ])
    }
}

/// A device's records as CSV.
enum HistoryTableText {
    private static let rowsMax = 100_000

    /// Returns a CSV file with a line per record and a column per data point.
    static func reply(_ call: OperationCall) throws -> Reply {
        let (from, to) = try Chart.period(call)
        let name = call.request.query["name"]
        return try call.read { tx in
            let device = try DeviceOperations.device(call, in: tx).device
            let product = try tx.products.find(device.productKey)
            var (names, rows): ([String], [(Instant, JSONObject)]) = ([], [])
            _ = try tx.history.scan(device.did, from: HistoryPlace(from), to: to) { record, _ in
                let data = ProductRules.masked(record.data ?? [:], product: product)
                let kept = data.members.filter { name == nil || $0.key == name }
                guard !kept.isEmpty else { return true }
                for member in kept where !names.contains(member.key) { names.append(member.key) }
                rows.append((record.ts, JSONObject(members: kept)))
                return rows.count < rowsMax
            }
            var text = CSV.line(["time"] + names)
            for (ts, data) in rows { text += CSV.line([CSV.time(ts)] + names.map { CSV.text(data[$0]) }) }
            return Reply(.file(Array(text.utf8), mediaType: "text/csv; charset=utf-8", name: "\(device.did).csv"))
        }
    }
}
