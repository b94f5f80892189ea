/// A queue of slow work in which senders are served in turn.
///
/// While logins and registrations are waiting, three logins are served for each registration. If the queue is full and
/// a sender has less than a tenth of the places, the sender's new work replaces the newest work of a sender that has
/// more than a tenth. A new login can also replace a registration.
struct FairQueue<Element> {
    /// The result of offering an element to the queue.
    enum Outcome {
        /// The element waits in the queue, and the elements `instead` were removed to make room for it.
        case taken(instead: [Element])
        /// The sender or its source address has reached its limit.
        case crowded
        /// The queue has no room.
        case full
    }

    private struct Item {
        var element: Element
        var sender: Sender
        var bytes: Int
    }

    private static var loginsInARow: Int { 3 }

    private let bounds: PoolBounds
    private var logins = FairLine<String, Item>()
    private var registrations = FairLine<String, Item>()
    private var held = HeldWork()
    private var inARow = 0
    private(set) var bytes = 0

    init(_ bounds: PoolBounds) { self.bounds = bounds }

    /// The number of waiting elements.
    var count: Int { logins.count + registrations.count }
    /// The number of further elements that fit into the queue without removing others.
    var room: Int { max(0, bounds.waiting - count) }
    /// The number of senders with waiting or running work.
    var senders: Int { held.senders }

    /// Returns what the outcome of a sender's offer would be after the offers of `others`.
    func isOpen(to sender: Sender, beside others: [Sender]) -> Outcome {
        guard held.mayTake(sender, bounds, beside: others) else { return .crowded }
        if count + others.count < bounds.waiting { return .taken(instead: []) }
        let own = others.count { $0.key == sender.key }
        return own == 0 && victim(for: sender) != nil ? .taken(instead: []) : .full
    }

    /// Adds an element if the queue accepts it, and returns the outcome.
    mutating func offer(_ element: Element, from sender: Sender, bytes size: Int) -> Outcome {
        guard held.mayTake(sender, bounds) else { return .crowded }
        guard size <= bounds.bytes else { return .full }
        var gone: [Element] = []
        while count >= bounds.waiting || bytes + size > bounds.bytes {
            guard let item = drop(for: sender) else {
                // If other elements were removed for this one, it is accepted even if the bytes exceed the limit.
                guard !gone.isEmpty else { return .full }
                return taken(element, of: sender, bytes: size, insteadOf: gone)
            }
            gone.append(item.element)
        }
        return taken(element, of: sender, bytes: size, insteadOf: gone)
    }

    private mutating func taken(
        _ element: Element,
        of sender: Sender,
        bytes size: Int,
        insteadOf gone: [Element]
    ) -> Outcome {
        let item = Item(element: element, sender: sender, bytes: size)
        if sender.isRegistration {
            registrations.append(item, of: sender.key)
        } else {
            logins.append(item, of: sender.key)
        }
        held.take(sender)
        bytes += size
        return .taken(instead: gone)
    }

    /// Returns the sender whose newest element must make room, or nil if no element may be removed.
    ///
    /// `isRegistration` tells whether the element to be removed is a registration.
    private func victim(for sender: Sender) -> (key: String, isRegistration: Bool)? {
        let own = waiting(of: sender.key)
        if own < bounds.share {
            if let key = registrations.longest(over: bounds.share) { return (key, true) }
            if let key = logins.longest(over: bounds.share) { return (key, false) }
        }
        guard !sender.isRegistration else { return nil }
        return registrations.longest(over: 0).map { ($0, true) }
    }

    private mutating func drop(for sender: Sender) -> Item? {
        guard let victim = victim(for: sender) else { return nil }
        let item = victim.isRegistration ? registrations.popLast(of: victim.key) : logins.popLast(of: victim.key)
        guard let item else { return nil }
        held.release(item.sender)
        bytes -= item.bytes
        return item
    }

    private func waiting(of key: String) -> Int { logins.count(of: key) + registrations.count(of: key) }

    /// Removes and returns the next element, which counts towards its sender's limit until `end` is called.
    mutating func next() -> (element: Element, sender: Sender)? {
        let mustYield = inARow >= Self.loginsInARow && registrations.count > 0
        let item = (mustYield ? nil : logins.popFirst()) ?? registrations.popFirst()
        guard let item else { return nil }
        inARow = item.sender.isRegistration ? 0 : inARow + 1
        bytes -= item.bytes
        return (item.element, item.sender)
    }

    /// Records that a piece of a sender's work is done.
    mutating func end(_ sender: Sender) { held.release(sender) }

    /// Removes and returns all waiting elements.
    mutating func removeAll() -> [Element] {
        var all: [Element] = []
        while let (element, sender) = next() {
            all.append(element)
            held.release(sender)
        }
        return all
    }
}
