import ArgumentParser
import Domain
import Foundation
import Storage

extension HistoryExportCommand {
    /// The formats of the output.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv, jsonl
    }

    func validate() throws {
        for (name, text) in [("--from", from), ("--to", to)] {
            guard let text, Self.moment(text) == nil else { continue }
            throw ValidationError("\(name) takes milliseconds since 1970 or 2026-11-21T10:00:00Z, not \(text)")
        }
        if let from = from.flatMap(Self.moment), let to = to.flatMap(Self.moment), from > to {
            throw ValidationError("--from is later than --to")
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let device = try place.device(did)
        let product = try place.store.read { try $0.products.find(device.productKey) }
        let hidden = Set(
            (product?.dataPoints ?? []).filter { $0.access == .writeOnly }.map(\.name)
        )
        let start = HistoryPlace(
            from.flatMap(Self.moment) ?? Instant(milliseconds: -Instant.max.milliseconds)
        )
        let end = to.flatMap(Self.moment) ?? .max
        let writer = HistoryWriter(format: format, hidden: hidden)
        Interrupt.listen()
        if format == .csv {
            try read(place.store, device.did, start: start, end: end) { writer.note($0) }
            writer.head()
        }
        var progress = Progress()
        try read(place.store, device.did, start: start, end: end) { record in
            writer.write(record)
            progress.count(record)
        }
        progress.end()
    }

    /// Passes every record to `body`.
    ///
    /// The records are read in several short transactions. During one long transaction, the store's log would grow.
    private func read(
        _ store: Store,
        _ did: DeviceID,
        start: HistoryPlace,
        end: Instant,
        body: (HistoryRecord) -> Void
    ) throws {
        var place = start
        var isGoing = true
        while isGoing {
            var page: [HistoryRecord] = []
            _ = try store.read { tx in
                try tx.history.scan(did, from: place, to: end) { record, next in
                    page.append(record)
                    place = next
                    return page.count < 10_000
                }
            }
            // The records are written after the transaction has ended. Therefore, slow output doesn't prolong the
            // transaction.
            page.forEach(body)
            isGoing = page.count == 10_000
            // The command stops only here, so that the output ends with a complete line.
            guard Interrupt.times == 0 || !isGoing else {
                Terminal.tell("stopped, up to \(TimeText.of(place.ts))")
                throw ExitCode(130)
            }
        }
    }

    private static func moment(_ text: String) -> Instant? {
        if let milliseconds = Int64(text) { return Instant(milliseconds: milliseconds) }
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        return Instant(milliseconds: Int64(date.timeIntervalSince1970 * 1000))
    }
}

private struct Progress {
    private var records = 0
    private var toldAt = ContinuousClock.now

    mutating func count(_ record: HistoryRecord) {
        records += 1
        guard records % 1000 == 0, ContinuousClock.now - toldAt >= .seconds(1) else { return }
        toldAt = .now
        Terminal.tell("\(records) records, up to \(TimeText.of(record.ts))")
    }

    func end() { Terminal.tell("\(records) records") }
}
