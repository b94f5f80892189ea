import Metering

/// The count of the messages that all terminals and registering devices send from one source address.
final class AddressTally: Kept {
    /// The address.
    let key: String
    var budget: AddressBudget
    fileprivate var connections = 0

    init(_ key: String, _ budget: AddressBudget) {
        (self.key, self.budget) = (key, budget)
    }

    func isAsNew(at now: Int64) -> Bool { budget.isAsNew(at: now) }
}

/// The tallies of messages, by source address.
///
/// An address without connections keeps its tally until the tally's budget is full again. Clients therefore can't
/// refill the budget by reconnecting.
///
/// At most `limit` addresses without a connection keep a tally. If there are more, all these tallies are forgotten.
struct AddressTallies {
    private let messagesPerSecond: Int
    private let messageBurst: Int
    private var live: [String: AddressTally] = [:]
    private var idle: Tallies<AddressTally>

    /// Creates empty tallies, or turns counting off if the rate is 0.
    init(messagesPerSecond: Int, messageBurst: Int, limit: Int = 50_000) {
        self.messagesPerSecond = messagesPerSecond
        self.messageBurst = messageBurst
        idle = Tallies(limit: limit)
    }

    /// The number of remembered addresses.
    var count: Int { live.count &+ idle.count }

    /// Records a new connection and returns its address's tally, or nil if counting is off.
    mutating func join(_ address: String, at now: Int64) -> AddressTally? {
        guard messagesPerSecond > 0 else { return nil }
        let tally = live[address] ?? idle.take(address) ?? new(address, at: now)
        tally.connections &+= 1
        live[address] = tally
        return tally
    }

    /// Records the end of a connection.
    mutating func leave(_ tally: AddressTally, at now: Int64) {
        tally.connections &-= 1
        guard tally.connections <= 0 else { return }
        live[tally.key] = nil
        idle.keep(tally, at: now)
    }

    private func new(_ address: String, at now: Int64) -> AddressTally {
        let budget = AddressBudget(messagesPerSecond: messagesPerSecond, messageBurst: messageBurst, now: now)
        return AddressTally(address, budget)
    }
}
