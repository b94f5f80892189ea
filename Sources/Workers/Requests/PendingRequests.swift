import Domain
import Wire

/// The requests whose slow work is under way (reference: requests#id).
///
/// Pending requests are kept only in memory. A client that gets no answer repeats its request. The type is a struct, so
/// that a failed transaction changes only a copy.
struct PendingRequests {
    /// The sender and the id of a request.
    struct Key: Hashable {
        var terminal: TerminalID
        var id: MessageID

        init(_ request: AppRequest) {
            terminal = request.terminal
            id = request.id
        }
    }

    /// The maximum number of repeats that are answered together with one waiting request.
    private static let othersMax = 8

    let completions: CompletionQueue
    private var entries: [UInt64: PendingRequest] = [:]
    private var jobs: [Key: UInt64] = [:]
    private var last: UInt64 = 0
    /// The total size of the waiting requests as received, in bytes.
    private(set) var bytes = 0

    init(_ completions: CompletionQueue) { self.completions = completions }

    var isEmpty: Bool { entries.isEmpty }
    /// Whether the slow work of at least one waiting request is done.
    var canRelease: Bool { !entries.isEmpty && completions.has { entries[$0] != nil } }

    /// Adds a request, and returns its slow work, which must be submitted after the commit.
    mutating func admit(_ pending: PendingRequest, _ work: BackgroundTask) -> BackgroundJob {
        last += 1
        var pending = pending
        pending.isReserved = work.readsStore
        entries[last] = pending
        bytes += pending.request.bytes
        jobs[Key(pending.request)] = last
        let (sender, reply) = (Sender(pending.request, work), pending.request.reply.topic)
        return BackgroundJob(number: last, work: work, sender: sender, completions: completions, reply: reply)
    }

    /// Joins a request to the waiting request with the same id, or returns false if no such request is waiting.
    ///
    /// - Throws: `Rejection` if the two requests have different contents.
    mutating func join(_ request: AppRequest, _ content: [UInt8]) throws(Rejection) -> Bool {
        guard let job = jobs[Key(request)], var pending = entries[job] else { return false }
        guard pending.content == content else { throw .invalid("id", "This id was used for another request.") }
        if pending.others.count < Self.othersMax {
            pending.others.append(request.reply)
            entries[job] = pending
        }
        return true
    }

    /// Removes and returns at most `limit` requests whose slow work is done, in order of arrival.
    mutating func release(atMost limit: Int) -> [(pending: PendingRequest, prepared: Prepared)] {
        completions.results { entries[$0] != nil }.prefix(limit).compactMap { job, prepared in
            guard let pending = entries.removeValue(forKey: job) else { return nil }
            jobs[Key(pending.request)] = nil
            bytes -= pending.request.bytes
            return (pending, prepared)
        }
    }
}

/// A request that waits for slow work.
struct PendingRequest {
    var request: AppRequest
    var content: [UInt8]
    var method: Method
    /// The reply addresses of this request's repeats, which get the same answer.
    var others: [ReplyAddress] = []
    /// Whether room for the answer is reserved in the terminal's budget (`AnswerBudget`).
    var isReserved = false
}
