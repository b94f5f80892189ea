import Domain
import JSON
import Mosquitto
import Storage
import StoreTestKit
import TestKit
import Testing

@testable import Workers

/// Two simultaneous moves, whose effects must be as if one ran after the other.
struct Race: Sendable, CustomTestStringConvertible {
    /// A function that lets a worker handle messages in a race, and returns the answers.
    ///
    /// The messages are handled between `Racer.begin()` and `Racer.end()`.
    typealias Move = @Sendable (World, Racer) throws -> [JSONObject]

    /// The state before the race, and the moves of both racers.
    struct Contest {
        var world: World
        var moves: [Move]
    }

    /// The node slots of the two processes.
    static let slots = (NodeSlot.shared[0], NodeSlot.shared[1])

    let name: String
    let make: @Sendable () throws -> Contest

    init(_ name: String, _ make: @escaping @Sendable () throws -> Contest) {
        self.name = name
        self.make = make
    }

    var testDescription: String { name }

    // MARK: Moves

    /// Returns a move in which a worker handles the messages that `send` sends.
    ///
    /// The worker runs until it has answered, but for at most `turns` turns.
    static func move<Handler: BatchHandler & SendableMetatype>(
        _ handler: @escaping @Sendable (Environment) -> Handler,
        turns: Int = 10,
        _ send: @escaping @Sendable (World) -> Void
    ) -> Move {
        { world, racer in
            var loop = try world.loop(handler(world.environment))
            send(world)
            racer.begin()
            for _ in 0..<turns where world.broker.answers.isEmpty { try loop.turn() }
            racer.end()
            return world.broker.answers
        }
    }

    /// Returns a move that sends a request from the user's terminal; the request's id ends with `mark`.
    static func ask(_ user: Int, _ method: String, _ params: JSONObject, mark: String = "") -> Move {
        ask(user, method, params, token: World.token(user), mark: mark)
    }

    /// Returns a move that sends a request from a terminal, with a session's token if one is given.
    static func ask(_ terminal: Int, _ method: String, _ params: JSONObject, token: String?, mark: String = "") -> Move
    {
        let request: JSONObject = [
            "id": .string("race-\(terminal)\(mark)"), "token": token.map { .string($0) }, "params": .object(params),
        ]
        let send: @Sendable (World) -> Void = { world in
            world.broker.send(World.requestTopic(terminal, method), request)
        }
        switch method.prefix(while: { $0 != "/" }) {
        case "device", "home", "share": return move({ ControlHandler($0) }, send)
        case "schedule": return move({ ScheduleWorker($0) }, send)
        default: return move({ RequestHandler.account($0) }, send)
        }
    }

    /// Returns a move that sends a device's report, answer or registration.
    static func tell(_ topic: String, _ payload: JSONObject) -> Move {
        move({ StatusHandler($0) }, turns: 1) { $0.broker.send(topic, payload) }
    }

    /// The move in which the control worker does the work that is due.
    static let sweep = move({ ControlHandler($0) }, turns: 3) { _ in }

    // MARK: Running

    /// The result of a race that was run in a number of orders.
    struct Outcome {
        var orders = 0
        var deadlocks = 0
        /// The error codes of moves that ran first but were still refused.
        var refusals: Set<String> = []
        /// The orders with forbidden final states, each with the state's difference from the closest allowed state.
        var failures: [String] = []
    }

    /// Runs the race in many orders.
    ///
    /// Without a limit, a race with few possible orders is run in every order. If there are many possible orders, the
    /// function runs two kinds of orders. In the first kind, one racer interrupts the other once and runs to its end.
    /// The function runs all of these orders. In the second kind, both racers are interrupted. The function runs a
    /// random choice of these orders. A limit reduces the number of orders of both kinds. If safeguards are removed,
    /// the function stops at the first forbidden final state.
    func run(
        atMost limit: Int? = nil,
        seed: Int,
        _ safeguards: Safeguards = .all
    ) throws -> Outcome {
        let course = try RaceCourse(make())
        var serial = try SerialStates(of: course)
        if safeguards == .none {
            // The allowed states must be computed before the unique keys are dropped.
            try serial.complete(on: course)
            try course.dropKeys()
        }
        var outcome = Outcome(refusals: serial.refusals)
        for order in Self.pick(serial.steps, limit, seed) {
            let finish = try course.run(order, safeguards)
            let statements = course.statements
            outcome.orders += 1
            outcome.deadlocks += finish.deadlocks
            guard
                let difference = try serial.difference(to: finish.state, on: course, safeguards)
            else { continue }
            outcome.failures.append("\(order): \(difference)\n\(statements)")
            if safeguards != .all { break }
        }
        return outcome
    }

    /// The maximum number of orders in which both racers are interrupted.
    ///
    /// This maximum applies only if `run` is called without a limit.
    private static let interruptedMax = 300

    private static func pick(_ steps: [Int], _ limit: Int?, _ seed: Int) -> [Interleaving] {
        var random = Seed(seed)
        let all = Interleaving.all(steps)
        guard limit != nil || all == nil else { return all ?? [] }
        let orders = all ?? Interleaving.bounded(steps)
        let whole = orders.filter(\.isWhole).shuffled(using: &random)
        let others = orders.filter { !$0.isWhole }.shuffled(using: &random)
        guard let limit else { return whole + others.prefix(interruptedMax) }
        let first = whole.prefix(limit * 2 / 3)
        return Array(first) + others.prefix(limit - first.count)
    }
}

/// The allowed final states: those that result when one racer runs after the other.
///
/// If a move consists of several transactions, the other racer may run between two of them. For example, one
/// transaction counts a try, and the next one compares a secret.
private struct SerialStates {
    /// The number of steps that each racer takes in a serial order.
    let steps: [Int]
    private let transactions: [Int]
    /// The error codes of the moves that were refused even when they ran first.
    let refusals: Set<String>
    private let noise: Set<String>
    private var states: [[String]]
    private var hasAll = false

    /// Runs each order of the racers twice, and ignores values that differ between the two runs.
    init(of course: RaceCourse) throws {
        var noise: Set<String> = []
        var finishes: [RaceCourse.Finish] = []
        for first in [0, 1] {
            let runs = try (0..<2).map { _ in try course.run(Interleaving(first: first)) }
            for run in runs { noise.formUnion(run.state.noise(beside: runs[0].state)) }
            finishes.append(runs[0])
        }
        self.noise = noise
        refusals = Set(
            zip(["A", "B"], finishes).compactMap { name, finish in
                finish.state.answers["\(name)0.error.code"] ?? finish.state.answers["\(name) failed"]
            }
        )
        states = finishes.map { $0.state.lines(without: noise) }
        steps = [0, 1].map { racer in finishes.map { $0.steps[racer] }.max() ?? 0 }
        transactions = [0, 1].map { racer in finishes.map { $0.transactions[racer] }.max() ?? 0 }
    }

    /// Runs the racers' whole transactions in every possible order, and keeps the final state of each order.
    ///
    /// Only the first call does this.
    mutating func complete(on course: RaceCourse) throws {
        guard !hasAll else { return }
        hasAll = true
        for turns in Interleaving.turns(transactions) {
            let state = try course.run(Interleaving(transactions: turns)).state
            states.append(state.lines(without: noise))
        }
    }

    /// Returns a state's difference from the closest allowed state, or nil if the state is allowed.
    ///
    /// Without safeguards, each racer has its own copy of the counters, so the counters aren't compared.
    mutating func difference(to state: RaceState, on course: RaceCourse, _ safeguards: Safeguards) throws -> String? {
        func compared(_ lines: [String]) -> [String] {
            safeguards == .none ? lines.filter { !$0.hasPrefix("attempt:") } : lines
        }
        let lines = compared(state.lines(without: noise))
        if states.contains(where: { compared($0) == lines }) { return nil }
        try complete(on: course)
        let states = states.map(compared)
        guard !states.contains(lines) else { return nil }
        return states.map { expected in
            let less = Set(expected).subtracting(lines).sorted().map { "- \($0)" }
            let more = Set(lines).subtracting(expected).sorted().map { "+ \($0)" }
            return (less + more).joined(separator: "\n")
        }.min { $0.count < $1.count }
    }
}

extension Broker {
    /// The answers that apps and devices have received.
    var answers: [JSONObject] {
        published(ending: "/response") + published(ending: "/registered")
    }
}
