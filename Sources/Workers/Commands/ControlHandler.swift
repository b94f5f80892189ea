import Batching
package import Domain
package import Storage
import Wire

/// The control worker's handler, which answers requests about devices, homes and sharing, and sends all commands.
package struct ControlHandler: BatchHandler {
    private let environment: Environment
    private var requests: RequestHandler
    /// The earliest time to send a command, or to end a command, invitation or guest's binding.
    private var nextDue: Instant?
    /// Whether `nextDue` is up to date.
    ///
    /// A batch leaves `nextDue` out of date, so that no request waits for the update. `due` updates it afterwards.
    private var isPlanned = true
    private var clockSteps = ClockSteps()

    private static let methods = [
        DeviceMethods.all, BindMethods.all, DeviceUserMethods.all, SharingMethods.all, HomeMethods.all,
    ].reduce(into: [:]) { all, some in all.merge(some) { _, new in new } }

    /// Makes the worker's handler.
    package init(_ environment: Environment) {
        self.environment = environment
        requests = RequestHandler(.control, methods: Self.methods, environment)
    }

    package var role: WorkerRole {
        var subscriptions = requests.role.subscriptions
        // The broker must not queue Home Assistant's commands, because a late command would surprise users.
        subscriptions.fleeting = environment.topics.filters("ha/+/+/set", of: environment.divided)
        return WorkerRole(.control, subscriptions, longReadings: requests.role.longReadings)
    }

    package mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage] {
        clockSteps.note(environment.clock)
        try plan(in: tx)
        return try requests.connected(isSessionPresent: isSessionPresent, in: tx)
    }

    // MARK: The path

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects {
        try followClock(in: tx)
        isPlanned = false
        return try requests.handle(batch, in: tx)
    }

    package func parts(of batch: [Inbound], isShared: Bool) -> [[Inbound]] {
        requests.parts(of: batch, isShared: isShared)
    }

    // MARK: Due work

    package func waiting(in tx: Transaction?) throws -> WaitingWork {
        var waiting = requests.waiting(in: tx)
        waiting.nextDue = nextDue
        guard let tx else { return waiting }
        if !isPlanned || clockSteps.stepBack(by: environment.clock) != nil {
            waiting.nextDue = WaitingWork.atOnce
        } else {
            // The store is read because other workers, such as the schedule worker, also create commands.
            waiting.nextDue = try ([nextDue] + nextCommands(in: tx)).compactMap(\.self).min()
        }
        return waiting
    }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        if let effects = try requests.due(in: tx) { return effects }
        try followClock(in: tx)
        var work = try requests.beginWork(in: tx)
        try DueControl(in: tx, environment.limits, of: environment.shards).carryOut(in: &work)
        try plan(in: tx)
        return requests.endWork(work)
    }

    /// Brings forward the due times of commands if the clock has been set back.
    private mutating func followClock(in tx: Transaction) throws {
        if let step = clockSteps.stepBack(by: environment.clock), ends {
            try tx.lockAll()
            let jump = environment.clockHistory.jump(by: environment.clock)
            try tx.commands.bringForward(byMilliseconds: step, jump: jump)
        }
        clockSteps.note(environment.clock)
    }

    private mutating func plan(in tx: Transaction) throws {
        let nextBinding = try ends ? BindingExpiry.next(in: tx) : nil
        nextDue = try (nextCommands(in: tx) + [nextBinding]).compactMap(\.self).min()
        isPlanned = true
    }

    /// Returns when this lane must next end an expired command, and when it must next send a command.
    private func nextCommands(in tx: Transaction) throws -> [Instant?] {
        [try ends ? tx.commands.nextExpiry() : nil, try tx.commands.nextDispatch(of: environment.shards)]
    }

    /// Whether this lane ends the expired commands, invitations and bindings of all devices.
    private var ends: Bool { environment.shards.lane == 0 }
}
