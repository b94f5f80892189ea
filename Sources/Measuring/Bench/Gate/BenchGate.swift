import ArgumentParser
import Load
import Metering

/// Measures the time that the gate needs to count a message: `lamplighter-bench gate`.
///
/// The benchmark calls the gate's own code, with the gate's clock. Some messages are within the limits. The others are
/// floods beyond a connection's limits or beyond an address's limits. Counting is only part of the gate's work for a
/// message. `lamplighter-bench reports` measures the whole work.
extension BenchGate {
    func validate() throws { guard messages > 0 else { throw ValidationError("--messages must be at least 1.") } }

    private static let ample = 1_000_000_000
    private static let wide = Allowance(messagesPerSecond: ample, messageBurst: 0, bytesPerSecond: ample, byteBurst: 0)
    private static let narrow = Allowance(messagesPerSecond: 1, messageBurst: 1, bytesPerSecond: 1, byteBurst: 1)

    private static let kinds = [
        ("within the limits", "within", wide, ample), ("beyond them", "beyond", narrow, ample),
        ("beyond the address's", "beyondAddress", wide, 1),
    ]

    func measure(in folder: String) -> BenchResult {
        var result = BenchResult("\(messages) messages of each kind")
        for (label, key, allowance, addressPerSecond) in Self.kinds {
            let time = nanoseconds(allowance, addressPerSecond: addressPerSecond)
            result.add(label, .init(time, "ns a message", at: "nanoseconds.\(key)"))
        }
        return result
    }

    func goals(_ result: BenchResult) -> [BenchGoal] {
        Self.kinds.map { label, key, _, _ in
            BenchGoal("ns a message \(label)", result["nanoseconds.\(key)"], atMost: 1000)
        }
    }

    private func nanoseconds(_ allowance: Allowance, addressPerSecond: Int) -> Double {
        let begin = CoarseClock.milliseconds()
        var meter = Meter(allowance, patience: 10, now: begin)
        var address = AddressBudget(messagesPerSecond: addressPerSecond, messageBurst: 0, now: begin)
        var sender = AddressBudget.Sender(now: begin)
        var passed = 0
        let stopwatch = Stopwatch()
        for _ in 0..<messages {
            let now = CoarseClock.milliseconds()
            guard meter.take(bytes: 1, at: now) == .within else { continue }
            if address.take(&sender, at: now) == .within { passed += 1 }
        }
        let seconds = stopwatch.seconds
        // If the result were not used, the compiler could remove the measured code.
        precondition(passed <= messages)
        return seconds * 1e9 / Double(messages)
    }
}
