import Dispatch
import Domain
import JSON
import Synchronization
import TestKit
import Testing

@testable import Administration
@testable import Console

@Suite("The cookie of a known browser")
struct KnownBrowserTests {
    private let browsers = KnownBrowser(secret: "s")

    @Test("The cookie is valid only for its operator, in all processes with the same secret")
    func known() throws {
        let mark = browsers.mark(for: "ann")

        let number = try #require(browsers.number(in: mark, for: "ann"))
        #expect(KnownBrowser(secret: "s").number(in: mark, for: "ann") == number)
        #expect(KnownBrowser(secret: "t").number(in: mark, for: "ann") == nil)
        #expect(browsers.number(in: mark, for: "bob") == nil)
        #expect(browsers.number(in: browsers.mark(for: "ann"), for: "ann") != number)
    }

    @Test("Only an unchanged cookie is valid", arguments: ["", ".", "a.b", "x", "é.é"]) func forged(_ mark: String) {
        #expect(browsers.number(in: mark, for: "ann") == nil)
        let right = browsers.mark(for: "ann")
        let other = right.first == "A" ? "B" : "A"
        #expect(browsers.number(in: other + right.dropFirst(), for: "ann") == nil)
        #expect(browsers.number(in: right + mark, for: "ann") == nil || mark.isEmpty)
        #expect(browsers.number(in: nil, for: "ann") == nil)
    }
}

@Suite("The threads of the console", .endsInTime)
struct OperationThreadsTests {
    @Test("Operators are served first, then callers with a cookie, then strangers")
    func ranks() async throws {
        let threads = OperationThreads()
        let order = Order()
        let (started, starts) = AsyncStream.makeStream(of: Void.self)
        // A stranger's work occupies one of the two threads, and an operator's work occupies the other.
        let gate = Gate()
        async let first: Void = threads.run(.stranger) {
            starts.yield(); gate.wait()
        }
        async let second: Void = threads.run(.operator) {
            starts.yield(); gate.wait()
        }
        var iterator = started.makeAsyncIterator()
        for _ in 0..<2 { await iterator.next() }

        try await withThrowingTaskGroup { group in
            for rank in OperationThreads.Rank.allCases.reversed() {
                group.addTask { try await threads.run(rank) { order.note(rank) } }
                while threads.waiting < 4 - rank.rawValue { await Task.yield() }
            }
            gate.open()
            try await group.waitForAll()
        }
        _ = try await (first, second)

        let found = order.ranks
        #expect(Set(found) == Set(OperationThreads.Rank.allCases))
        let places = OperationThreads.Rank.allCases.compactMap { found.firstIndex(of: $0) }
        // The two threads run at the same time, so work of two neighbouring ranks can finish in reverse order.
        #expect(zip(places, places.dropFirst(2)).allSatisfy { $0 < $1 })
    }

    @Test("Strangers share one thread, and a limited number of them can wait")
    func strangers() async throws {
        let threads = OperationThreads()
        let gate = Gate()
        let (started, starts) = AsyncStream.makeStream(of: Void.self)
        async let first: Void = threads.run(.stranger) {
            starts.yield(); gate.wait()
        }
        var iterator = started.makeAsyncIterator()
        await iterator.next()

        try await withThrowingTaskGroup { group in
            for _ in 0..<OperationThreads.Rank.stranger.waitingMax {
                group.addTask { try await threads.run(.stranger) {} }
            }
            while threads.waiting < OperationThreads.Rank.stranger.waitingMax { await Task.yield() }
            await #expect(throws: OperationThreads.IsFull.self) { try await threads.run(.stranger) {} }
            #expect(try await threads.run(.operator) { true })
            gate.open()
            try await group.waitForAll()
        }
        try await first
    }
}

/// A record of the ranks of finished work, in order of completion.
private final class Order: Sendable {
    private let state = Mutex<[OperationThreads.Rank]>([])
    var ranks: [OperationThreads.Rank] { state.withLock { $0 } }
    func note(_ rank: OperationThreads.Rank) { state.withLock { $0.append(rank) } }
}

/// A gate at which threads wait until a test opens it.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func wait() { semaphore.wait() }
    /// Lets two threads pass.
    func open() { for _ in 0..<2 { semaphore.signal() } }
}

@Suite("Bodies that the console accepts")
struct BodyTests {
    @Test("Strangers may send small bodies, operators larger ones, and documents may be the largest")
    func sizes() {
        func operation(_ role: OperatorRole?) -> Operation {
            Operation("x", "POST", "x", role: role) { _ in [:] }
        }
        #expect(operation(nil).bodyMax == 4 << 10)
        #expect(operation(.admin).bodyMax == 64 << 10)
        #expect(operation(.viewer).takingDocument.bodyMax == 1 << 20)
    }

    @Test("The number of values is limited, and counted before the body is parsed")
    func values() throws {
        func body(_ count: Int) -> [UInt8] {
            Array("{\((0..<count).map { "\"k\($0)\":1" }.joined(separator: ","))}".utf8)
        }
        #expect(try ConsoleAPI.object(body(ConsoleAPI.valuesMax)).members.count == 20_000)
        let refused = #expect(throws: Refused.self) { try ConsoleAPI.object(body(ConsoleAPI.valuesMax + 1)) }
        #expect(refused?.status == 413)
    }
}

@Suite("A search for users")
struct UserSearchTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var text: String
        var role: OperatorRole
        var isFound: Bool
        var testDescription: String { "\(role) \(text)" }
    }

    static let cases = [
        Case(text: "lena@example.org", role: .admin, isFound: true), Case(text: "lena@", role: .admin, isFound: true),
        Case(text: "LENA@example.org", role: .operator, isFound: true),
        Case(text: "+4915112345678", role: .operator, isFound: true),
        Case(text: "lena@", role: .operator, isFound: false), Case(text: "\"lena@\"", role: .operator, isFound: false),
        Case(text: "1511234567", role: .operator, isFound: false),
        Case(text: "lena@example.org", role: .viewer, isFound: false),
    ]

    @Test(
        "Operators find whole addresses, admins parts of addresses, and viewers no addresses",
        arguments: cases
    )
    func addresses(row: Case) throws {
        var user = User(
            uid: try #require(UserID("u-abcdefghijk4f")),
            app: try #require(AppID("app")),
            region: "r",
            countryCode: "49",
            nickname: "",
            isAnonymous: false,
            createdAt: Instant(milliseconds: 0)
        )
        user.email = EmailAddress("lena@example.org")
        user.phone = Phone("15112345678", countryCode: "49")
        let term = try #require(try SearchTerms(row.text).terms.first)

        #expect(UserOperations.finds(term, addressOf: user, for: row.role) == row.isFound)
    }
}
