import Domain
import Wire

/// The client from which a piece of slow work comes.
///
/// The queues for slow work serve the senders in turn, and limit the work of each sender.
package struct Sender: Sendable, Equatable {
    /// The terminal, or another string that identifies the sender.
    package var key: String
    /// The source address of the sender's connection, or nil if it isn't counted.
    package var address: String?
    /// Whether the work creates an account, and therefore yields to logins.
    package var isRegistration: Bool

    /// Creates a sender.
    package init(_ key: String, address: String? = nil, isRegistration: Bool = false) {
        self.key = key
        self.address = address
        self.isRegistration = isRegistration
    }

    /// The methods that hash a new account's password.
    private static let registrations: Set<String> = [
        "account/register", "account/loginOrRegister", "account/convertAnonymous",
    ]

    /// Creates the sender of a request that needs a piece of work.
    ///
    /// A login under an unknown name counts like other logins. Otherwise, the waiting time would reveal that the name
    /// is unknown.
    init(_ request: AppRequest, _ work: BackgroundTask) {
        key = request.terminal.text
        address = request.sourceAddress
        isRegistration = if case .hash = work { Self.registrations.contains(request.name) } else { false }
    }
}

/// The limits of a pool of slow work.
package struct PoolBounds: Sendable {
    /// The maximum number of waiting pieces of work.
    package var waiting: Int
    /// The maximum total size of the waiting work, in bytes.
    package var bytes: Int
    /// The maximum number of pieces of one sender's work that wait or are under way.
    package var perSender: Int
    /// The maximum number of pieces of work, waiting or running, for one source address.
    package var perAddress: Int
    /// The maximum number of pieces of work that have begun but have not yet led to an answer.
    package var unanswered: Int

    /// Creates the limits of a pool.
    package init(
        waiting: Int,
        bytes: Int = 1 << 20,
        perSender: Int = .max,
        perAddress: Int = .max,
        unanswered: Int = .max
    ) {
        self.waiting = waiting
        self.bytes = bytes
        self.perSender = perSender
        self.perAddress = perAddress
        self.unanswered = unanswered
    }

    /// A sender's fair share of a full queue, in elements.
    ///
    /// If one sender has more elements than this and a second sender has fewer, new work of the second sender can
    /// replace the newest element of the first.
    var share: Int { max(1, waiting / 10) }
}

/// The counts of waiting and running tasks for each sender and each source address.
struct HeldWork {
    private var bySender: [String: Int] = [:]
    private var byAddress: [String: Int] = [:]

    /// Returns whether a sender may have one more piece of work.
    ///
    /// The result assumes that each sender in `others` first gets one more piece of work.
    func mayTake(_ sender: Sender, _ bounds: PoolBounds, beside others: [Sender] = []) -> Bool {
        let own = others.count { $0.key == sender.key } + bySender[sender.key, default: 0]
        guard own < bounds.perSender else { return false }
        guard let address = sender.address else { return true }
        let near = others.count { $0.address == address } + byAddress[address, default: 0]
        return near < bounds.perAddress
    }

    /// Counts one more piece of a sender's work.
    mutating func take(_ sender: Sender) {
        bySender[sender.key, default: 0] += 1
        if let address = sender.address { byAddress[address, default: 0] += 1 }
    }

    /// Removes a piece of a sender's work from the counts.
    mutating func release(_ sender: Sender) {
        Self.lower(&bySender, sender.key)
        if let address = sender.address { Self.lower(&byAddress, address) }
    }

    /// The number of senders that have work.
    var senders: Int { bySender.count }

    /// Subtracts one from a count; a count of 0 is removed.
    static func lower(_ counts: inout [String: Int], _ key: String) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
