import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

/// Tests of refused requests, and of users who may not create schedules.
extension ScheduleMethodTests {
    struct Bad: CustomTestStringConvertible, Sendable {
        var params: JSONObject
        var code = "InvalidRequest"
        var field: String
        var testDescription: String { "\(field): \(String(decoding: params.encoded(), as: UTF8.self))" }
    }

    static let refusals = [
        Bad(params: ["did": .null], field: "params.did"),
        Bad(params: ["did": "d-unknown"], code: "NotBound", field: "params.did"),
        Bad(params: ["time": .null], field: "params.time"), Bad(params: ["time": "24:00"], field: "params.time"),
        Bad(params: ["time": 700], field: "params.time"), Bad(params: ["time": "sunrise"], field: "params.time"),
        Bad(params: ["time": "sunset+01:00"], field: "params.time"),
        Bad(params: ["date": "2023-02-29"], field: "params.date"),
        Bad(params: ["date": "2023-11-14", "time": "22:13"], field: "params.date"),
        Bad(params: ["date": "2022-01-01"], field: "params.date"),
        Bad(params: ["weekDays": []], field: "params.weekDays"),
        Bad(params: ["weekDays": [0]], field: "params.weekDays"),
        Bad(params: ["weekDays": [8]], field: "params.weekDays"),
        Bad(params: ["weekDays": ["1"]], field: "params.weekDays"),
        Bad(params: ["weekDays": 1], field: "params.weekDays"),
        Bad(params: ["monthDays": [32]], field: "params.monthDays"),
        Bad(params: ["monthDays": [1.5]], field: "params.monthDays"),
        Bad(params: ["timezone": "Mars/Base"], field: "params.timezone"),
        Bad(params: ["timezone": "../../etc/passwd"], field: "params.timezone"),
        Bad(params: ["timezone": "posixrules"], field: "params.timezone"),
        Bad(params: ["attrs": .null], field: "params.attrs"), Bad(params: ["attrs": [:]], field: "params.attrs"),
        Bad(params: ["attrs": ["power": 3]], field: "params.attrs.power"),
        Bad(params: ["attrs": ["temperature": 3]], field: "params.attrs.temperature"),
        Bad(params: ["attrs": ["speed": 3]], field: "params.attrs.speed"),
        Bad(params: ["remark": 3], field: "params.remark"), Bad(params: ["enabled": "yes"], field: "params.enabled"),
        Bad(params: ["misfire": "later"], field: "params.misfire"),
    ]

    @Test("Invalid parameters are refused with the field", arguments: refusals) func refuse(_ bad: Bad) throws {
        let world = try ScheduleWorld()

        let answer = try Self.create(world, bad.params)

        #expect(answer.errorCode == bad.code)
        #expect(answer.errorField == bad.field)
        #expect(try world.world.count("schedule") == 0)
    }

    @Test("A device has at most 100 schedules")
    func limit() throws {
        let world = try ScheduleWorld()
        for minute in 0..<100 { try world.make("0\(minute / 60):\(10 + minute % 50)") }

        let answer = try Self.create(world, [:])

        #expect(answer.errorCode == "Forbidden")
        #expect(answer.errorField == "params.did")
        #expect(try world.world.count("schedule") == 100)
    }

    @Test("A user with read access only can't create schedules")
    func readers() throws {
        let world = try ScheduleWorld()
        try world.world.write { (tx) throws in try tx.sql.run("UPDATE binding SET access = 'read' WHERE uid = 'u-0'") }
        #expect(try Self.create(world, [:]).errorCode == "Forbidden")
    }

    @Test("An unsubscribed user can't create schedules, and an expired guest sees none") func withoutRights() throws {
        let world = try ScheduleWorld()
        let id = JSONValue.string(try world.make("07:00", user: 1).text)
        try world.world.write { (tx) throws in
            try tx.sql.run("UPDATE binding SET subscribed = 0")
        }
        #expect(try Self.create(world, [:]).errorCode == "NotSubscribed")
        let attrs: JSONObject = ["scheduleId": id, "attrs": ["power": false]]
        #expect(try world.ask(1, "update", attrs).errorCode == "NotSubscribed")
        #expect(try world.ask(1, "disable", ["scheduleId": id]).errorCode == nil)

        try world.world.write { (tx) throws in try tx.sql.run("UPDATE binding SET guestUntil = 1 WHERE uid = 'u-1'") }
        for method in ["runs", "enable", "delete"] {
            #expect(try world.ask(1, method, ["scheduleId": id]).errorCode == "ResourceNotFound")
        }
        #expect(try world.ask(1, "list", [:])["result"]?.objectValue?["schedules"] == [])
    }

    @Test("The creator and the special user can change a schedule, and for others it does not exist")
    func rights() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", user: 1)
        let other = try world.make("08:00")
        func ask(_ user: Int, _ method: String, _ id: ScheduleID) throws -> String? {
            try world.ask(user, method, ["scheduleId": .string(id.text)]).errorCode
        }

        for method in ["disable", "enable", "update"] {
            #expect(try ask(1, method, id) == nil)
            #expect(try ask(0, method, id) == nil)
            #expect(try ask(1, method, other) == "ResourceNotFound")
            #expect(try ask(2, method, id) == "ResourceNotFound")
            #expect(try ask(0, method, ScheduleID(trusted: "s-none")) == "ResourceNotFound")
        }
        #expect(try ask(1, "runs", other) == nil)
        #expect(try ask(2, "runs", other) == "ResourceNotFound")
        #expect(try ask(1, "delete", other) == "ResourceNotFound")
        #expect(try ask(0, "delete", id) == nil)
        #expect(try ask(0, "delete", id) == "ResourceNotFound")
        let gone = try world.ask(2, "list", ["did": .string(World.did(0).text)])
        #expect(gone.errorCode == "NotBound")
    }
}
