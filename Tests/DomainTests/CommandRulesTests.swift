import Domain
import JSON
import Testing

@Suite("How a command's life goes on")
struct CommandRulesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var state: Command.State
        /// Seconds after the making; the command lives 30.
        var at: Int64
        var code: Int64
        var wanted: Command.State
        var isLate: Bool
        var tells: Bool
        var testDescription: String { "\(state) answered with \(code) after \(at) s" }
    }

    static let table: [Case] =
        [.queued, .sent].flatMap { (state: Command.State) in
            [
                Case(state: state, at: 29, code: 0, wanted: .done, isLate: false, tells: true),
                Case(state: state, at: 29, code: 7, wanted: .failed, isLate: false, tells: true),
                Case(state: state, at: 29, code: -1, wanted: .failed, isLate: false, tells: true),
                Case(state: state, at: 30, code: 0, wanted: .expired, isLate: true, tells: true),
                Case(state: state, at: 31, code: 7, wanted: .expired, isLate: true, tells: true),
            ]
        } + [
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

    @Test("An answer leads from each state to the right one", arguments: table)
    func answers(_ row: Case) {
        var command = Make.command(row.state)
        let tells = CommandRules.answered(
            &command,
            code: row.code,
            data: ["power": false],
            at: Make.at(row.at)
        )

        #expect(command.state == row.wanted)
        #expect(command.isLate == row.isLate)
        #expect(tells == row.tells)
        let isTaken = row.tells || row.isLate
        #expect(command.code == (isTaken ? row.code : nil))
        #expect(command.result == (isTaken ? ["power": false] : nil))
    }

    @Test("A second answer changes nothing")
    func second() {
        var command = Make.command(.sent)
        _ = CommandRules.answered(&command, code: 0, data: ["power": true], at: Make.at(1))
        let first = command
        _ = CommandRules.answered(&command, code: 5, data: nil, at: Make.at(2))
        #expect(command == first)
    }

    @Test("A second late answer changes nothing")
    func secondLate() {
        var command = Make.command(.expired)
        _ = CommandRules.answered(&command, code: 0, data: nil, at: Make.at(31))
        let first = command
        _ = CommandRules.answered(&command, code: 5, data: nil, at: Make.at(32))
        #expect(command == first)
    }

    @Test("Only open commands whose time is over expire", arguments: Command.State.allCases)
    func expiry(_ state: Command.State) {
        var early = Make.command(state)
        #expect(!CommandRules.expired(&early, at: Make.at(29)))
        #expect(early == Make.command(state))

        var due = Make.command(state)
        #expect(CommandRules.expired(&due, at: Make.at(30)) == !state.isFinal)
        #expect(due.state == (state.isFinal ? state : .expired))
        #expect(due.doneAt == (state.isFinal ? nil : Make.at(30)))
    }
}
