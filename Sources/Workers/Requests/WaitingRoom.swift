import Domain
import Wire

/// Requests whose slow work is under way.
///
/// They are kept in memory only: a client that gets no answer asks again with the same id. A value, so that
/// a failed transaction leaves it unchanged.
struct WaitingRoom {
    /// The sender and the id of a request.
    struct Key: Hashable {
        var terminal: TerminalID
        var id: MessageID

        init(_ request: AppRequest) {
            terminal = request.terminal
            id = request.id
        }
    }

    /// One request that waits.
    struct Guest {
        var request: AppRequest
        var content: [UInt8]
        var method: Method
        /// The further destinations of the answer, for repeats that have joined.
        var others: [ReplyAddress] = []
    }

    /// More repeats than this get no answer of their own.
    private static let othersMax = 8

    let mailbox: Mailbox
    private var guests: [UInt64: Guest] = [:]
    private var jobs: [Key: UInt64] = [:]
    private var last: UInt64 = 0
    /// The bytes of the waiting requests, as received.
    private(set) var bytes = 0

    init(_ mailbox: Mailbox) { self.mailbox = mailbox }

    var isEmpty: Bool { guests.isEmpty }
    /// Whether the work of a waiting request is done.
    var canRelease: Bool { !guests.isEmpty && mailbox.has { guests[$0] != nil } }

    /// Adds a request and returns its work, to be submitted after the commit.
    mutating func admit(_ guest: Guest, _ work: Preparation) -> SlowJob {
        last += 1
        guests[last] = guest
        bytes += guest.request.bytes
        jobs[Key(guest.request)] = last
        let sender = Sender(guest.request, work)
        return SlowJob(number: last, work: work, sender: sender, mailbox: mailbox)
    }

    /// Joins a repeat to the waiting request of its id; false if there is none.
    ///
    /// - Throws: `Rejection` if the id was used for another request.
    mutating func join(_ request: AppRequest, _ content: [UInt8]) throws(Rejection) -> Bool {
        guard let job = jobs[Key(request)], var guest = guests[job] else { return false }
        guard guest.content == content else {
            throw .invalid("id", "This id was used for another request.")
        }
        if guest.others.count < Self.othersMax {
            guest.others.append(request.reply)
            guests[job] = guest
        }
        return true
    }

    /// Removes and returns the requests whose work is done.
    mutating func release() -> [(guest: Guest, prepared: Prepared)] {
        mailbox.results { guests[$0] != nil }.compactMap { job, prepared in
            guard let guest = guests.removeValue(forKey: job) else { return nil }
            jobs[Key(guest.request)] = nil
            bytes -= guest.request.bytes
            return (guest, prepared)
        }
    }
}
