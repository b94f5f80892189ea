import Domain
import JSON
import Testing

@Suite("Transitions of a command's state")
struct CommandRulesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var state: Command.State
        /// The seconds since the creation of the command, which expires after 30 seconds.
        var at: Int64
        var code: Int64
        var wanted: Command.State
        var isLate: Bool
        var tells: Bool
        var testDescription: String { "\(state) answered with \(code) after \(at) s" }
    }

    static let table: [Case] =
        [
            Case(state: .sent, at: 29, code: 0, wanted: .done, isLate: false, tells: true),
            Case(state: .sent, at: 29, code: 7, wanted: .failed, isLate: false, tells: true),
            Case(state: .sent, at: 29, code: -1, wanted: .failed, isLate: false, tells: true),
            Case(state: .sent, at: 30, code: 0, wanted: .expired, isLate: true, tells: true),
            Case(state: .sent, at: 31, code: 7, wanted: .expired, isLate: true, tells: true),
            Case(state: .queued, at: 29, code: 0, wanted: .queued, isLate: false, tells: false),
            Case(state: .queued, at: 31, code: 0, wanted: .queued, isLate: false, tells: false),
            Case(state: .expired, at: 31, code: 0, wanted: .expired, isLate: true, tells: false),
            Case(state: .expired, at: 31, code: 7, wanted: .expired, isLate: true, tells: false),
            Case(state: .done, at: 1, code: 7, wanted: .done, isLate: false, tells: false),
            Case(state: .done, at: 31, code: 0, wanted: .done, isLate: false, tells: false),
            Case(state: .failed, at: 1, code: 0, wanted: .failed, isLate: false, tells: false),
            Case(
                state: .superseded,
                at: 1,
                code: 0,
                wanted: .superseded,
                isLate: false,
                tells: false
            ),
        ]

    @Test("Each response leads from each state to the right state", arguments: table)
    func answers(_ row: Case) {
        var command = Make.command(row.state)
        if row.state == .expired { command.steps.insert(Make.sentStep, at: 0) }
        let tells = CommandRules.answered(&command, code: row.code, data: ["power": false], at: Make.at(row.at))

        #expect(command.state == row.wanted)
        #expect(command.isLate == row.isLate)
        #expect(tells == row.tells)
        let isTaken = row.tells || row.isLate
        #expect(command.code == (isTaken ? row.code : nil))
        #expect(command.result == (isTaken ? ["power": false] : nil))
    }

    @Test("A second response changes nothing")
    func second() {
        var command = Make.command(.sent)
        _ = CommandRules.answered(&command, code: 0, data: ["power": true], at: Make.at(1))
        let first = command
        _ = CommandRules.answered(&command, code: 5, data: nil, at: Make.at(2))
        #expect(command == first)
    }

    @Test("A second late response changes nothing")
    func secondLate() {
        var command = Make.command(.expired)
        command.steps.insert(Make.sentStep, at: 0)
        _ = CommandRules.answered(&command, code: 0, data: nil, at: Make.at(31))
        let first = command
        _ = CommandRules.answered(&command, code: 5, data: nil, at: Make.at(32))
        #expect(command == first)
    }

    @Test("Only open commands that have timed out expire", arguments: Command.State.allCases) func expiry(
        _ state: Command.State
    ) {
        var early = Make.command(state)
        #expect(!CommandRules.expired(&early, at: Make.at(29)))
        #expect(early == Make.command(state))

        var due = Make.command(state)
        #expect(CommandRules.expired(&due, at: Make.at(30)) == !state.isFinal)
        #expect(due.state == (state.isFinal ? state : .expired))
        #expect(due.doneAt == (state.isFinal ? nil : Make.at(30)))
    }

    @Test("A command that expired while it was queued was never sent, so no response applies to it") func neverSent() {
        var command = Make.command(.queued)
        _ = CommandRules.expired(&command, at: Make.at(30))
        let before = command
        #expect(!CommandRules.answered(&command, code: 0, data: nil, at: Make.at(31)))
        #expect(command == before)
    }

    private func queued(_ cid: Int64, _ data: JSONObject, binary: String? = nil) -> Command {
        CommandRequest(did: Make.did, data: data, binary: binary, sn: cid * 10, mode: .queue, actor: .system).command(
            cid: cid,
            product: Make.product(),
            at: Make.at(cid)
        )
    }

    struct Waiting: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The waiting commands, oldest first, each with sender, data, and lifetime in seconds.
        var commands: [(asker: String, data: JSONObject, ttl: Int64)]
        /// The indices of the commands that are replaced by newer commands.
        var replaced: [Int]
    }

    static let replacements: [Waiting] = [
        .init(
            testDescription: "each by the next",
            commands: [("u-1", ["level": 1], 60), ("u-1", ["level": 2], 60), ("u-1", ["level": 3], 60)],
            replaced: [0, 1]
        ),
        .init(
            testDescription: "a value that is not set again stays",
            commands: [("u-1", ["level": 1, "power": true], 60), ("u-1", ["level": 2], 60)],
            replaced: []
        ),
        .init(
            testDescription: "by several together",
            commands: [
                ("u-1", ["level": 1, "power": true], 60), ("u-1", ["level": 2], 60), ("u-1", ["power": false], 60),
            ],
            replaced: [0]
        ),
        .init(
            testDescription: "not by another's, who may lose their rights",
            commands: [("u-1", ["level": 1], 60), ("u-2", ["level": 2], 60)],
            replaced: []
        ),
        .init(
            testDescription: "not by one that is over before",
            commands: [("u-1", ["level": 1], 60), ("u-1", ["level": 2], 30)],
            replaced: []
        ),
        .init(
            testDescription: "by one that lasts as long, behind a short one",
            commands: [("u-1", ["level": 1], 60), ("u-1", ["level": 2], 58), ("u-1", ["level": 3], 30)],
            replaced: []
        ),
        .init(
            testDescription: "not by another name that looks the same",
            commands: [("u-1", ["caf\u{e9}": 1], 60), ("u-1", ["cafe\u{301}": 2], 60)],
            replaced: []
        ),
        .init(
            testDescription: "by the longest of the newer ones",
            commands: [("u-1", ["level": 1], 60), ("u-1", ["level": 2], 90), ("u-1", ["level": 3], 30)],
            replaced: [0]
        ),
    ]

    @Test(
        "A newer command replaces the commands that it supersedes, whatever happens next",
        arguments: replacements
    )
    func replacement(_ row: Waiting) {
        let waiting = row.commands.indices.map { place in
            let (asker, data, ttl) = row.commands[place]
            return CommandRequest(did: Make.did, data: data, mode: .queue, ttl: ttl, actor: Actor(.user, asker))
                .command(cid: Int64(place + 1), product: Make.product(), at: Make.at(Int64(place)))
        }
        let replaced = CommandRules.replaced(waiting, at: Make.at(9))
        #expect(replaced.map { Int($0.cid) - 1 } == row.replaced)
        #expect(replaced.allSatisfy { $0.state == .superseded && $0.doneAt == Make.at(9) })
        let rest = waiting.filter { one in !replaced.contains { $0.cid == one.cid } }
        let all = CommandRules.merged(waiting, at: Make.at(9)).outgoing
        #expect(CommandRules.merged(rest, at: Make.at(9)).outgoing.map(\.cid) == all.map(\.cid))
        for (left, whole) in zip(CommandRules.merged(rest, at: Make.at(9)).outgoing, all) {
            #expect(
                Set(left.data.members.map { Array("\($0)".utf8) })
                    == Set(whole.data.members.map { Array("\($0)".utf8) })
            )
        }
    }

    @Test("Raw bytes replace raw bytes, and a command that may not be queued replaces nothing") func replacedBytes() {
        let bytes = [queued(1, [:], binary: "AA=="), queued(2, [:], binary: "AQ==")]
        #expect(CommandRules.replaced(bytes, at: Make.at(9)).map(\.cid) == [1])
        var waiting = [queued(1, ["level": 1]), queued(2, ["level": 2])]
        #expect(CommandRules.replaced(waiting, at: Make.at(9)).map(\.cid) == [1])
        waiting[1].mode = .now
        #expect(CommandRules.replaced(waiting, at: Make.at(9)).isEmpty)
    }

    @Test("Queued commands are merged into the newest one, with the newest value of each attribute") func merging() {
        let waiting = [queued(1, ["power": true, "level": 5]), queued(2, ["pin": "1"]), queued(4, ["level": 10])]
        let (outgoing, superseded) = CommandRules.merged(waiting, at: Make.at(9))

        #expect(outgoing.map(\.cid) == [4] && outgoing.first?.sn == 40)
        #expect(outgoing.first?.values == ["power": true, "level": 10, "pin": "1"])
        #expect(outgoing.first?.data == ["power": true, "level": 10, "pin": "***"])
        #expect(superseded.map(\.cid) == [1, 2])
        #expect(superseded.allSatisfy { $0.state == .superseded && $0.hidden == nil })
        #expect(superseded.allSatisfy { $0.doneAt == Make.at(9) })
    }

    @Test("A command that may not be queued is not merged, and commands stay in numerical order") func mergingApart() {
        var now = queued(2, ["power": false])
        now.mode = .now
        let (outgoing, superseded) = CommandRules.merged(
            [queued(1, ["level": 5]), now, queued(3, ["level": 10], binary: "AA==")],
            at: Make.at(9)
        )
        #expect(outgoing.map(\.cid) == [2, 3] && superseded.map(\.cid) == [1])
        #expect(outgoing.first?.data == ["power": false])
        #expect(outgoing.last?.binary == "AA==")

        let (later, _) = CommandRules.merged(
            [queued(1, ["level": 5, "power": true]), now, queued(3, ["level": 10])],
            at: Make.at(9)
        )
        #expect(later.map(\.data) == [["power": false], ["level": 10]])
        let (first, _) = CommandRules.merged([queued(1, ["power": true]), now], at: Make.at(9))
        #expect(first.map(\.data) == [["power": true], ["power": false]])
    }
}
