import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Queries of history")
struct HistoryTests: HistorySuite {
    @Test("Pages follow one another by cursor, and the last page has no cursor")
    func pages() throws {
        let world = try world()
        try append(world, (0..<25).map { (Int64($0), ["level": .integer(Int64($0))]) })
        var cursor: JSONValue?
        var values: [Int64] = []
        for size in [10, 10, 5] {
            let answer = try ask(world, "history", span(world, ["limit": 10, "cursor": cursor]))
            #expect(rows(answer).count == size)
            values += rows(answer).compactMap { $0["data"]?.objectValue?["level"]?.intValue }
            cursor = answer["result"]?.objectValue?["cursor"]
        }
        #expect(cursor == nil && values == (0..<25).map { Int64($0) })
    }

    @Test("A page is cut before it exceeds a payload")
    func large() throws {
        let world = try world()
        let text = JSONValue.string(String(repeating: "x", count: 9000))
        try append(world, (0..<20).map { (Int64($0), ["label": text]) })
        let answer = try ask(world, "history", span(world))
        #expect((5...7).contains(rows(answer).count))
        #expect(answer.encoded().count <= Payload.bytesMax)
        #expect(answer["result"]?.objectValue?["cursor"] != nil)
    }

    @Test("An invalid query is refused with the field")
    func refusals() throws {
        let world = try world()
        let cases: [(JSONObject, String)] = [
            (["to": 1], "params.to"), (["attr": "colour"], "params.attr"), (["attr": "pin"], "params.attr"),
            (["every": "1x"], "params.every"), (["fn": "max"], "params.fn"),
            (["fn": "mode", "every": "1d"], "params.fn"),
            (["every": "1d", "timezone": "Mars/Olympus"], "params.timezone"), (["cursor": "x"], "params.cursor"),
            (["limit": 1001], "params.limit"), (["from": "x"], "params.from"),
        ]
        for (params, field) in cases {
            let answer = try ask(world, "history", span(world, params))
            #expect(answer.errorCode == "InvalidRequest" && answer.errorField == field, "\(params)")
        }
        #expect(try ask(world, "history", span(world), user: 1).errorCode == "NotBound")
    }

    @Test("Users see no records from before their time, even if the device's clock was fast") func ownerships() throws {
        let world = try world()
        world.sendReport(
            0,
            [
                "id": "r", "ts": .integer(world.clock.now.milliseconds + 500_000), "data": ["level": 5],
                "alerts": [["name": "hot"]],
            ]
        )
        try world.runStatus()
        let mine = try ask(world, "history", span(world, ["from": 0]))
        #expect(rows(mine).count == 1)
        #expect(rows(try ask(world, "events", [:]), "events").count == 1)
        world.sendRequest(0, "device/control", id: "c", ["did": .string(World.did(0).text), "data": ["level": 1]])
        try world.runControl()
        #expect(rows(try ask(world, "commands", [:]), "commands").count == 1)

        world.clock.advance(seconds: 5)
        world.sendRequest(0, "device/unbind", id: "u", ["did": .string(World.did(0).text)])
        try world.runControl()
        try world.bind(0, 1)
        world.clock.advance(seconds: 1000)
        world.sendReport(0, ["id": "s", "data": ["level": 6]])
        try world.runStatus()
        let others = try ask(world, "history", span(world, ["from": 0]), user: 1)
        #expect(rows(others).map { $0["data"] } == [["level": 6]])
        #expect(rows(try ask(world, "events", [:], user: 1), "events").isEmpty)
        #expect(rows(try ask(world, "commands", [:], user: 1), "commands").isEmpty)
    }

    @Test("A new owner sees their own commands at once, however fast the device's clock was")
    func commandsOfNewOwnership() throws {
        let world = try world()
        let ahead = world.clock.now.adding(seconds: 500)
        world.sendReport(
            0,
            ["id": "r", "ts": .integer(ahead.milliseconds), "data": ["level": 5]]
        )
        try world.runStatus()
        let params: JSONObject = ["did": .string(World.did(0).text), "data": ["level": 1]]
        world.sendRequest(0, "device/control", id: "c", params)
        try world.runControl()
        world.clock.advance(seconds: 5)
        world.sendRequest(0, "device/unbind", id: "u", ["did": .string(World.did(0).text)])
        try world.runControl()
        try world.bind(0, 1)

        world.sendRequest(1, "device/control", id: "c", params)
        try world.runControl()

        for seconds: Int64 in [1, 1000] {
            world.clock.advance(seconds: seconds)
            let log = rows(try ask(world, "commands", [:], user: 1), "commands")
            #expect(log.compactMap { $0["cid"]?.intValue } == [2])
        }
        let later: JSONObject = ["from": .integer(ahead.milliseconds)]
        #expect(rows(try ask(world, "commands", later, user: 1), "commands").isEmpty)
    }

    @Test("Events are returned newest first, page by page, and by type")
    func events() throws {
        let world = try world()
        for number in 0..<12 {
            world.clock.advance(seconds: 10)
            world.sendReport(
                0,
                ["id": .string("e\(number)"), "alerts": [["name": "hot", "value": .bool(number % 2 == 0)]]]
            )
            try world.runStatus()
        }
        var cursor: JSONValue?
        var types: [String] = []
        repeat {
            let answer = try ask(world, "events", ["limit": 5, "cursor": cursor])
            types += rows(answer, "events").compactMap { $0["type"]?.stringValue }
            cursor = answer["result"]?.objectValue?["cursor"]
        } while cursor != nil
        #expect(types == (0..<6).flatMap { _ in ["alertCleared", "alert"] })
        let raised = try ask(world, "events", ["types": ["alert"], "limit": 3])
        #expect(rows(raised, "events").count == 3)
        #expect(try ask(world, "events", ["types": ["birthday"]]).errorField == "params.types")
    }

    @Test("The command log has each state with its time and actor") func commands() throws {
        let world = try world()
        for number in 0..<3 {
            world.sendRequest(
                0,
                "device/control",
                id: "c\(number)",
                ["did": .string(World.did(0).text), "data": ["level": .integer(Int64(number)), "pin": "1"]]
            )
        }
        try world.runControl()
        world.clock.advance(seconds: 1)
        world.sendReport(0, ["cid": 2, "code": 0, "data": ["level": 1]])
        try world.runStatus()
        world.clock.advance(seconds: 60)
        try world.runControl()
        world.sendReport(0, ["cid": 3, "code": 4])
        try world.runStatus()

        let log = rows(try ask(world, "commands", [:]), "commands")
        #expect(log.compactMap { $0["cid"]?.intValue } == [3, 2, 1])
        #expect(log.compactMap { $0["state"]?.stringValue } == ["expired", "done", "expired"])
        #expect(log.map { $0["late"] } == [true, nil, nil])
        #expect(log[0]["code"] == 4 && log[0]["data"] == ["level": 2, "pin": "***"])
        let steps = (log[1]["steps"]?.arrayValue ?? []).compactMap(\.objectValue)
        #expect(steps.map { $0["state"] } == ["sent", "done"])
        #expect(steps.map { $0["actor"]?.objectValue?["kind"] } == ["user", "device"])
        #expect(steps[1]["ts"] == log[1]["doneAt"])
        let page = try ask(world, "commands", ["limit": 2])
        let cursor = page["result"]?.objectValue?["cursor"]
        let rest = rows(try ask(world, "commands", ["limit": 2, "cursor": cursor]), "commands")
        #expect(rest.compactMap { $0["cid"]?.intValue } == [1])
    }

    @Test("A command that would fill more than an answer is listed without the device's response")

    func largeRow() throws {
        let world = try world()
        let text = JSONValue.string(String(repeating: "x", count: 40_000))
        try world.write { (tx) throws in
            var command = Command(
                did: World.did(0),
                cid: 1,
                sn: 0,
                kind: .write,
                state: .sent,
                data: ["a": text],
                actor: Actor(.user, World.uid(0).text),
                app: nil,
                createdAt: tx.now,
                expiresAt: tx.now.adding(seconds: 30)
            )
            _ = CommandRules.answered(&command, code: 0, data: ["b": text], at: tx.now)
            try tx.commands.save([command])
        }
        let row = try #require(rows(try ask(world, "commands", [:]), "commands").first)
        #expect(row["state"] == "done" && row["data"] == ["a": text] && row["result"] == nil)
    }
}
