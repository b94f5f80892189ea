import Domain
import JSON
import Storage
import Testing

@testable import Workers

extension World {
    /// Creates a `World` with users and devices, and binds each device to the first `bound` users.
    ///
    /// User 0 is each device's special user.
    convenience init(devices: Int, online: Bool = false, users: Int, bound: Int = 0, limits: Limits = Limits()) throws {
        try self.init(limits: limits)
        try makeDevices(devices, online: online)
        try makeUsers(users)
        for device in 0..<devices { for user in 0..<bound { try bind(device, user, user == 0 ? .special : .normal) } }
    }

    /// Runs a maintenance job until nothing is left to do, and returns the number of steps.
    @discardableResult
    func run(_ job: some MaintenanceJob) throws -> Int {
        var (job, steps) = (job, 1)
        while try job.step() {
            steps += 1
            guard steps < 1000 else { throw Endless() }
        }
        return steps
    }

    /// Deletes expired rows, erases accounts whose erasure is due, and removes erased content from database files.
    func runMaintenance() throws {
        for job in ExpiredRows.all(environment) { try run(job) }
        try run(AccountErasure(environment))
        try run(ErasedContent(environment))
    }

    /// Returns all answers that a user's requests have received so far.
    func answers(_ user: Int = 0) -> [JSONObject] {
        broker.published(to: Self.answerTopic(user))
    }

    /// Enqueues a schedule's command to device 0, and returns the command and the effects.
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

    /// Sends a request of user 0 to the account worker, and returns the worker's answer.
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
