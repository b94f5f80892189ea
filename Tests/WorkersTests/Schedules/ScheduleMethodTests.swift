import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Requests about schedules")
struct ScheduleMethodTests {
    // The clock of the tests shows 2023-11-14T22:13:20Z, a Tuesday.

    static func create(_ world: ScheduleWorld, _ more: JSONObject) throws -> JSONObject {
        var params: JSONObject = [
            "did": .string(World.did(0).text), "time": "07:00", "timezone": "UTC", "attrs": ["power": true],
        ]
        for member in more.members { params[member.key] = member.value }
        params.members.removeAll { $0.value == .null }
        return try world.ask(0, "create", params)
    }

    static func schedule(_ answer: JSONObject) -> JSONObject {
        answer["result"]?.objectValue?["schedule"]?.objectValue ?? [:]
    }

    struct Kind: CustomTestStringConvertible, Sendable {
        var name: String
        var params: JSONObject
        /// The seconds from the start of the test's clock to the next occurrence.
        var next: Int64
        var shown: JSONObject
        var testDescription: String { name }
    }

    static let kinds = [
        Kind(name: "weekly", params: ["weekDays": [3, 1, 3]], next: 31_600, shown: ["weekDays": [1, 3]]),
        Kind(name: "monthly", params: ["monthDays": [15, 31]], next: 31_600, shown: ["monthDays": [15, 31]]),
        Kind(name: "one time", params: ["date": "2023-11-16"], next: 118_000, shown: ["date": "2023-11-16"]),
        Kind(name: "one time without a date", params: [:], next: 31_600, shown: ["date": "2023-11-15"]),
        Kind(
            name: "in a zone of its own",
            params: ["weekDays": [2], "timezone": "America/New_York", "time": "17:30"],
            next: 1000,
            shown: ["weekDays": [2], "timezone": "America/New_York"]
        ),
    ]

    @Test("Each kind of schedule is created, listed and pushed to all bound users", arguments: kinds)
    func create(_ kind: Kind) throws {
        let world = try ScheduleWorld()

        let answer = try Self.create(world, kind.params)

        let shown = Self.schedule(answer)
        #expect(answer.isOK, "\(answer)")
        #expect(shown["nextAt"] == .integer(world.now.adding(seconds: kind.next).milliseconds))
        for member in kind.shown.members { #expect(shown[member.key] == member.value) }
        for name in ["date", "weekDays", "monthDays"] where kind.shown[name] == nil { #expect(shown[name] == nil) }
        #expect(answer["result"]?.objectValue?["schedules"] == [.object(shown)])
        #expect(answer["result"]?.objectValue?["ignored"] == nil)
        for user in 0...1 {
            let topic = "ll/v1/user/\(World.uid(user).text)/schedule"
            let pushed = world.world.broker.published(to: topic)
            #expect(pushed.map { $0["schedules"] } == [[.object(shown)]])
        }
    }

    @Test("Days of the week take precedence over days of the month, and the answer says so")
    func ignored() throws {
        let world = try ScheduleWorld()

        let both = try Self.create(world, ["weekDays": [5], "monthDays": [1]])
        let three = try Self.create(world, ["weekDays": [5], "monthDays": [1], "date": "2023-12-01"])
        let dated = try Self.create(world, ["monthDays": [1], "date": "2023-12-01"])

        #expect(both["result"]?.objectValue?["ignored"] == ["monthDays"])
        #expect(three["result"]?.objectValue?["ignored"] == ["date", "monthDays"])
        #expect(dated["result"]?.objectValue?["ignored"] == ["date"])
        #expect(Self.schedule(both)["monthDays"] == nil)
    }

    @Test("An update changes the kind, keeps the id, and keeps omitted members") func update() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", ["remark": "wake up", "misfire": "run"])
        func update(_ params: JSONObject) throws -> JSONObject {
            var params = params
            params["scheduleId"] = .string(id.text)
            return try world.ask(0, "update", params)
        }

        let monthly = Self.schedule(try update(["monthDays": [15]]))
        let once = Self.schedule(try update(["date": "2023-11-20", "weekDays": .null]))
        let renamed = Self.schedule(try update(["remark": "get up"]))
        let weekly = try update(["weekDays": [1], "date": "2023-11-21", "time": "06:00"])
        let past = try update(["date": "2023-11-01"])

        #expect(monthly["scheduleId"] == .string(id.text))
        #expect(monthly["monthDays"] == [15] && monthly["weekDays"] == nil)
        #expect(once["date"] == "2023-11-20" && once["monthDays"] == nil)
        #expect(renamed["date"] == "2023-11-20" && renamed["remark"] == "get up")
        #expect(renamed["time"] == "07:00" && renamed["misfire"] == "run")
        #expect(Self.schedule(weekly)["weekDays"] == [1] && Self.schedule(weekly)["date"] == nil)
        #expect(weekly["result"]?.objectValue?["ignored"] == ["date"])
        #expect(past.errorCode == "InvalidRequest" && past.errorField == "params.date")
        #expect(try world.schedule(id)?.timing.time == .clock(360))
    }

    @Test("A disabled schedule isn't planned, and a past one can't be enabled")
    func enabling() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", ["date": "2023-11-15"])
        func ask(_ method: String) throws -> JSONObject { try world.ask(0, method, ["scheduleId": .string(id.text)]) }

        _ = try ask("disable")
        let disabled = try world.schedule(id)
        _ = try ask("enable")
        let enabled = try world.schedule(id)
        _ = try ask("disable")
        world.world.clock.advance(seconds: 86_400)
        let late = try ask("enable")

        #expect(disabled?.isEnabled == false && disabled?.nextAt == nil)
        #expect(enabled?.isEnabled == true && enabled?.nextAt != nil)
        #expect(late.errorCode == "InvalidRequest" && late.errorField == "params.scheduleId")
    }

    @Test("Write-only values are hidden, sealed, and kept when an object from a list is sent back")

    func secrets() throws {
        let world = try ScheduleWorld()
        let id = try world.make("07:00", ["attrs": ["pin": "1234", "power": true]])
        let shown = try world.ask(0, "list", [:])["result"]?.objectValue?["schedules"]
        let row = shown?.arrayValue?.first?.objectValue
        #expect(row?["attrs"] == ["pin": "***", "power": true])
        let stored = try world.world.read { tx in
            try tx.sql.query("SELECT attrs, secretAttrs FROM schedule") {
                $0.next(String.self) + String(decoding: $0.next([UInt8].self), as: UTF8.self)
            }
        }
        #expect(!stored.joined().utf8.contains("1234".utf8))

        try world.ask(0, "update", ["scheduleId": .string(id.text), "attrs": ["pin": "***", "power": false]])

        #expect(try world.schedule(id)?.attrs == ["pin": "1234", "power": false])
    }

    @Test("Sunset follows the user's location, and polar night is reported")
    func sun() throws {
        let world = try ScheduleWorld()
        func setPlace(_ latitude: Double, _ longitude: Double) throws {
            try world.world.write { (tx) throws in
                guard var user = try tx.accounts.find(World.uid(0)) else { return }
                user.profile.latitude = latitude
                user.profile.longitude = longitude
                try tx.accounts.save(user)
            }
        }

        try setPlace(52.52, 13.405)
        let berlin = try Self.create(
            world,
            ["time": "sunset-00:30", "weekDays": [1, 2, 3, 4, 5, 6, 7], "timezone": "Europe/Berlin"]
        )
        try setPlace(78.22, 15.65)
        let north = try Self.create(
            world,
            ["time": "sunset+00:00", "weekDays": [7], "timezone": "Arctic/Longyearbyen"]
        )
        let night = try Self.create(world, ["time": "sunrise+00:00", "date": "2023-12-20", "timezone": "Europe/Oslo"])

        // In Berlin, the sun sets at 16:13 on 2023-11-15.
        let next = Self.schedule(berlin)["nextAt"]?.intValue ?? 0
        let wanted = 1_700_059_380_000 + 0 as Int64
        #expect(abs(next - wanted) <= 120_000, "\(next)")
        #expect(Self.schedule(berlin)["polar"] == nil)
        let polar = Self.schedule(north)["polar"]?.objectValue
        #expect(polar?["sun"] == "polarNight" && polar?["date"] == "2023-11-19")
        #expect((Self.schedule(north)["nextAt"]?.intValue ?? 0) > 1_707_500_000_000)
        #expect(night.errorCode == "InvalidRequest" && night.errorField == "params.date")
    }

    @Test("Lists are cut before they grow too large, and continue at the cursor")
    func pages() throws {
        let world = try ScheduleWorld(devices: 3)
        for device in 0..<3 { for minute in 10..<15 { try world.make("07:\(minute)", device: device) } }
        var times: [String] = []
        var cursor: JSONValue?
        var pages = 0
        repeat {
            let answer = try world.ask(0, "list", ["limit": 4, "cursor": cursor])
            let result = answer["result"]?.objectValue
            times += (result?["schedules"]?.arrayValue ?? []).compactMap {
                let row = $0.objectValue
                return (row?["did"]?.stringValue ?? "") + (row?["time"]?.stringValue ?? "")
            }
            cursor = result?["cursor"]
            pages += 1
        } while cursor != nil && pages < 10

        #expect(pages == 4)
        #expect(times.count == 15 && Set(times).count == 15)
        let one = try world.ask(0, "list", ["did": .string(World.did(1).text)])
        #expect(one["result"]?.objectValue?["schedules"]?.arrayValue?.count == 5)
        #expect(try world.ask(0, "list", ["cursor": "x"]).errorField == "params.cursor")
    }

    @Test("When a creator is unbound, the creator's schedules are deleted")
    func unbinding() throws {
        let world = try ScheduleWorld()
        try world.make("07:00", user: 1)
        let stays = try world.make("08:00")

        try world.world.write { (tx) throws in
            try tx.bindings.delete(World.did(0), [World.uid(1)])
        }

        let left = try world.world.read { try $0.schedules.all(ofDevice: World.did(0)) }
        #expect(left.map(\.id) == [stays])
    }
}
