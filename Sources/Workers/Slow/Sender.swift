import Domain
import Wire

/// On whose behalf slow work is done: what is fair is fair between senders.
package struct Sender: Sendable, Equatable {
    /// The terminal, or whatever else stands for one sender.
    package var key: String
    /// The source address of its connection; nil where that doesn't count.
    package var address: String?
    /// Whether the work makes a new account: logins go before it.
    package var isRegistration: Bool

    /// Names a sender.
    package init(_ key: String, address: String? = nil, isRegistration: Bool = false) {
        self.key = key
        self.address = address
        self.isRegistration = isRegistration
    }

    /// Methods whose hash is that of a new account's password.
    private static let registrations: Set<String> = [
        "account/register", "account/loginOrRegister", "account/convertAnonymous",
    ]

    /// The sender of a request that needs a piece of work.
    ///
    /// A login under a name that nobody has counts as one under a known name: were it served later,
    /// the time would tell which names have an account.
    init(_ request: AppRequest, _ work: Preparation) {
        key = request.terminal.text
        address = request.sourceAddress
        isRegistration =
            if case .hash = work { Self.registrations.contains(request.name) } else { false }
    }
}

/// How much a lane of slow work holds at most.
package struct LaneBounds: Sendable {
    /// Pieces of work that wait.
    package var waiting: Int
    /// Bytes of all that waits.
    package var bytes: Int
    /// Pieces of one sender, waiting or under way.
    package var perSender: Int
    /// Pieces of one source address, waiting or under way.
    package var perAddress: Int

    /// Sets the bounds.
    package init(
        waiting: Int,
        bytes: Int = 1 << 20,
        perSender: Int = .max,
        perAddress: Int = .max
    ) {
        self.waiting = waiting
        self.bytes = bytes
        self.perSender = perSender
        self.perAddress = perAddress
    }

    /// How much of a full queue one sender keeps when others come: a tenth.
    var share: Int { max(1, waiting / 10) }
}

/// How many pieces of work senders and addresses have waiting or under way.
struct HeldWork {
    private var bySender: [String: Int] = [:]
    private var byAddress: [String: Int] = [:]

    /// Tells whether a sender may have one more, beside others that are about to come.
    func mayTake(_ sender: Sender, _ bounds: LaneBounds, beside others: [Sender] = []) -> Bool {
        let own = others.count { $0.key == sender.key } + bySender[sender.key, default: 0]
        guard own < bounds.perSender else { return false }
        guard let address = sender.address else { return true }
        let near = others.count { $0.address == address } + byAddress[address, default: 0]
        return near < bounds.perAddress
    }

    /// Notes one more.
    mutating func take(_ sender: Sender) {
        bySender[sender.key, default: 0] += 1
        if let address = sender.address { byAddress[address, default: 0] += 1 }
    }

    /// Notes that one is done or gone; what nobody holds is forgotten.
    mutating func release(_ sender: Sender) {
        Self.lower(&bySender, sender.key)
        if let address = sender.address { Self.lower(&byAddress, address) }
    }

    /// How many senders hold something.
    var senders: Int { bySender.count }

    private static func lower(_ counts: inout [String: Int], _ key: String) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
