import Domain
import JSON
import Storage
import Testing

@testable import Workers

extension World {
    /// Creates devices and users from 0 on, and binds each device to the first users, to user 0 as its special user.
    convenience init(devices: Int, online: Bool = false, users: Int, bound: Int = 0, limits: Limits = Limits()) throws {
        try self.init(limits: limits)
        try makeDevices(devices, online: online)
        try makeUsers(users)
        for device in 0..<devices { for user in 0..<bound { try bind(device, user, user == 0 ? .special : .normal) } }
    }

    /// Runs a maintenance job until it has nothing more to do; returns the number of its steps.
    @discardableResult
    func run(_ job: some MaintenanceJob) throws -> Int {
        var (job, steps) = (job, 1)
        while try job.step() {
            steps += 1
            guard steps < 1000 else { throw Endless() }
        }
        return steps
    }

    /// Deletes expired rows, erases accounts that are due, and removes what remains of them.
    func runMaintenance() throws {
        for job in ExpiredRows.all(environment) { try run(job) }
        try run(AccountErasure(environment))
        try run(ErasedContent(environment))
    }

    /// Returns the answers to a user's requests so far.
    func answers(_ user: Int = 0) -> [JSONObject] {
        broker.published(to: Self.answerTopic(user))
    }

    /// Enqueues a schedule's command to the first device; returns the command and its effects.
    func takeScheduled(level: Int64) throws -> (command: Command, effects: Effects) {
        let request = CommandRequest(
            did: World.did(0),
            data: ["level": .integer(level)],
            actor: Actor(.schedule, "t-1")
        )
        let (command, effects) = try work { work in
            try CommandDispatcher.enqueue(request, product: World.product, in: &work)
        }
        return (command, effects)
    }

    /// Sends the account worker a request as user 0, and returns its answer.
    func askAccount(_ method: String, id: String, token: String? = nil, _ params: JSONObject = [:]) throws -> JSONObject
    {
        sendRequest(0, method, id: id, token: token, params)
        try runAccount()
        return try #require(answers().last)
    }

    func sendBinding(_ user: Int, id: String, passcode: String? = nil) {
        sendRequest(
            user,
            "device/bind",
            id: id,
            ["did": .string(Self.did(0).text), "passcode": .string(passcode ?? Self.passcode(0))]
        )
    }
}
