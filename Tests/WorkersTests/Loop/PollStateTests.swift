import Domain
import Testing

@testable import Workers

@Suite("A worker's next step")
struct PollStateTests {
    private static let start = Instant(milliseconds: 1_700_000_000_000)
    private static let steady = ContinuousClock.now

    private static func moment(_ milliseconds: Int64) -> PollState.Moment {
        PollState.Moment(wall: start.adding(milliseconds: milliseconds), steady: steady + .milliseconds(milliseconds))
    }

    /// Returns the state of a worker that has just checked the store for due work.
    private static func fresh() -> PollState {
        var poll = PollState(Limits())
        _ = poll.next(after: .waitEnded(.init()), at: moment(0))
        _ = poll.next(after: .turnBegins(.init()), at: moment(0))
        return poll
    }

    @Test("A worker that is never idle polls even after its clock was set back")
    func setBack() {
        var poll = Self.fresh()
        _ = poll.next(after: .waitEnded(.init(messages: 1)), at: Self.moment(-3_600_000))
        #expect(poll.isLooking)
        _ = poll.next(after: .waitEnded(.init(messages: 1)), at: Self.moment(-3_599_900))
        #expect(!poll.isLooking)
    }

    // MARK: Waiting

    struct Wait: CustomTestStringConvertible, Sendable {
        var name: String
        var outlook: PollState.Outlook
        var failures = 0
        var milliseconds: Int64
        var testDescription: String { name }

        static func due(_ milliseconds: Int64) -> Instant { PollStateTests.start.adding(milliseconds: milliseconds) }
    }

    @Test(
        "A wait ends when there is work",
        arguments: [
            Wait(name: "nothing", outlook: .init(), milliseconds: 500),
            Wait(name: "work", outlook: .init(hasWork: true), milliseconds: 0),
            Wait(
                name: "work, whatever else",
                outlook: .init(hasWork: true, nextDue: Wait.due(50), pause: .milliseconds(20), hasConfirmedRows: true),
                milliseconds: 0
            ),
            Wait(name: "due soon", outlook: .init(nextDue: Wait.due(50)), milliseconds: 50),
            Wait(name: "due before", outlook: .init(nextDue: Wait.due(-50)), milliseconds: 0),
            Wait(name: "due late", outlook: .init(nextDue: Wait.due(9000)), milliseconds: 500),
            Wait(
                name: "due, and failed once",
                outlook: .init(nextDue: Wait.due(0)),
                failures: 1,
                milliseconds: 500
            ),
            Wait(name: "rows", outlook: .init(hasConfirmedRows: true), milliseconds: 200),
            Wait(
                name: "rows, and due soon",
                outlook: .init(nextDue: Wait.due(50), hasConfirmedRows: true),
                milliseconds: 50
            ),
            Wait(name: "a pause", outlook: .init(pause: .milliseconds(2)), milliseconds: 2),
            Wait(name: "a long pause", outlook: .init(pause: .seconds(2)), milliseconds: 500),
            Wait(
                name: "a pause, and due before it",
                outlook: .init(nextDue: Wait.due(1), pause: .milliseconds(2)),
                milliseconds: 1
            ),
        ]
    )
    func wait(_ row: Wait) {
        var poll = Self.fresh()
        for _ in 0..<row.failures { _ = poll.dueFailed(at: Self.start) }

        let step = poll.next(after: .turnBegins(row.outlook), at: Self.moment(0))

        #expect(step == .wait(.milliseconds(row.milliseconds)))
    }

    // MARK: After the wait

    /// A reason for the worker to check the store for due work.
    enum Reason: CaseIterable, Sendable {
        case none, called, idle, idleInPause, time

        var looks: Bool { self == .called || self == .idle || self == .time }
    }

    /// How many confirmed rows are waiting to be deleted, and whether they have waited for long.
    enum Rows: CaseIterable, Sendable {
        case none, some, someForLong, many

        var state: PollState.ConfirmedRows {
            switch self {
            case .none: .none
            case .some, .someForLong: .some
            case .many: .many
            }
        }
        var mustGo: Bool { self == .someForLong || self == .many }
    }

    /// An obstacle that can keep the worker from doing due work.
    enum Obstacle: CaseIterable, Sendable { case none, behind, failedBefore }

    @Test(
        "Messages and rows to delete cause a transaction; a due poll alone causes a look at the store",
        arguments: Reason.allCases,
        Rows.allCases
    )
    func waitEnded(_ reason: Reason, _ rows: Rows) {
        for obstacle in Obstacle.allCases {
            for messages in [0, 3] {
                let step = Self.step(reason, rows, obstacle: obstacle, messages: messages)

                let due = reason.looks && obstacle == .none
                let expected: PollState.Step =
                    messages > 0 || rows.mustGo
                    ? .commit(messages: messages, due: due) : reason.looks ? .look(due: due) : .publishOnly
                #expect(step == expected, "\(obstacle), \(messages) messages")
            }
        }
    }

    private static func step(_ reason: Reason, _ rows: Rows, obstacle: Obstacle, messages: Int) -> PollState.Step {
        var poll = fresh()
        if rows == .someForLong { _ = poll.next(after: .waitEnded(.init(confirmedRows: .some)), at: moment(0)) }
        if obstacle == .failedBefore { _ = poll.dueFailed(at: start) }
        if reason == .idleInPause {
            let outlook = PollState.Outlook(pause: .milliseconds(2))
            _ = poll.next(after: .turnBegins(outlook), at: moment(0))
        }
        let received = PollState.Received(
            messages: messages,
            isIdle: reason == .idle || reason == .idleInPause,
            isCalled: reason == .called,
            confirmedRows: rows.state,
            isBehind: obstacle == .behind
        )
        return poll.next(
            after: .waitEnded(received),
            at: moment(reason == .time ? 500 : rows == .someForLong ? 200 : 100)
        )
    }

    @Test("A poll that finds work causes a transaction, and others don't")
    func looked() {
        for due in [true, false] {
            var poll = Self.fresh()
            #expect(
                poll.next(after: .looked(hasWork: true, due: due), at: Self.moment(0)) == .commit(messages: 0, due: due)
            )
            #expect(poll.next(after: .looked(hasWork: false, due: due), at: Self.moment(0)) == .publishOnly)
        }
    }

    @Test("Rows to delete wait for the next batch from the first one's time, and again after a deletion")
    func lingering() {
        var poll = Self.fresh()
        func next(_ milliseconds: Int64) -> PollState.Step {
            poll.next(
                after: .waitEnded(.init(confirmedRows: .some)),
                at: Self.moment(milliseconds)
            )
        }
        #expect(next(10) == .publishOnly)
        #expect(next(209) == .publishOnly)
        #expect(next(210) == .commit(messages: 0, due: false))
        poll.deletedConfirmed()
        #expect(next(300) == .publishOnly)
    }

    @Test("Failed due work is tried again after its pause, and at once after a success") func backoff() {
        var poll = Self.fresh()
        func look(_ milliseconds: Int64) -> PollState.Step {
            poll.next(after: .waitEnded(.init(isCalled: true)), at: Self.moment(milliseconds))
        }
        #expect(poll.dueFailed(at: Self.start) == 1)
        #expect(look(999) == .look(due: false))
        #expect(look(1000) == .look(due: true))
        #expect(poll.dueFailed(at: Self.start.adding(milliseconds: 1000)) == 2)
        #expect(look(2999) == .look(due: false))
        poll.dueSucceeded()
        #expect(look(2999) == .look(due: true))
    }
}
