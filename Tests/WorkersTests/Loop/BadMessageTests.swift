import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Dead letters")
struct BadMessageTests {
    struct Bad: CustomTestStringConvertible, Sendable {
        var name: String
        var topic: String
        var payload: String
        var isAnswered = false
        var testDescription: String { name }
    }

    static let bad = [
        Bad(name: "no JSON", topic: World.report(0), payload: "hello"),
        Bad(name: "a list", topic: World.report(0), payload: "[1]"),
        Bad(
            name: "a name twice",
            topic: World.report(0),
            payload: #"{"data":{"level":1,"level":2}}"#
        ),
        Bad(name: "1e400", topic: World.report(0), payload: #"{"data":{"level":1e400}}"#),
        Bad(name: "2^53", topic: World.report(0), payload: #"{"data":{"level":9007199254740992}}"#),
        Bad(
            name: "depth 200",
            topic: World.report(0),
            payload: #"{"data":{"level":\#(String(repeating: "[", count: 200))}}"#
        ),
        Bad(
            name: "64 KiB and 1",
            topic: World.report(0),
            payload: #"{"id":"x","data":{"level":"\#(String(repeating: "x", count: 65_536))"}}"#,
            isAnswered: true
        ),
        Bad(
            name: "64 KiB and 1, its id last",
            topic: World.report(0),
            payload: #"{"data":{"level":"\#(String(repeating: "x", count: 65_536))"},"id":"x"}"#,
            isAnswered: true
        ), Bad(name: "nothing in it", topic: World.report(0), payload: #"{"id":"x"}"#, isAnswered: true),
        Bad(name: "a wrong type", topic: World.report(0), payload: #"{"id":"x","data":7}"#, isAnswered: true),
        Bad(
            name: "an unknown attribute",
            topic: World.report(0),
            payload: #"{"id":"x","data":{"y":1}}"#,
            isAnswered: true
        ), Bad(name: "an unknown device", topic: "ll/v1/device/d-9/report", payload: #"{"id":"x","data":{"level":1}}"#),
        Bad(
            name: "an unknown device's presence",
            topic: "ll/v1/system/presence/d-9",
            payload: #"{"online":true,"connection":1}"#
        ), Bad(name: "a bad presence", topic: "ll/v1/device/\(World.did(0).text)/presence", payload: "{}"),
        Bad(name: "an empty level", topic: "ll/v1/device//report", payload: #"{"data":{"level":1}}"#),
        Bad(
            name: "a bad info",
            topic: "ll/v1/device/\(World.did(0).text)/info",
            payload: #"{"id":"x","passcode":"1"}"#,
            isAnswered: true
        ),
    ]

    @Test(
        "An invalid message is stored as a dead letter, and answered if it has an id; others pass",
        arguments: bad
    )
    func badMessage(_ row: Bad) throws {
        let world = try World(devices: 1, users: 2, bound: 1)
        world.sendReport(0, ["id": "a", "data": ["level": 1]])
        world.broker.send(row.topic, text: row.payload)
        world.sendReport(0, ["id": "b", "data": ["level": 2]])
        try world.runStatus()

        let letters = try world.read { try $0.deadLetters.page(limit: 10) }
        #expect(letters.count == 1)
        #expect(letters.first?.topic == row.topic)
        #expect(letters.first?.reason.isEmpty == false)
        let answers = world.broker.published(to: World.response(0))
        #expect(answers.filter { $0.isOK }.count == 2)
        #expect(answers.filter { !$0.isOK }.map { $0["id"] } == (row.isAnswered ? ["x"] : []))
        #expect(world.broker.published(ending: "/system/dead-letter").count == 1)
        #expect(world.broker.acknowledged == 3)
        #expect(try world.status(0)?.version == 2)
    }

    @Test("A long name is cut in the answer, the dead letter and the notice")
    func longName() throws {
        let world = try World(devices: 1, users: 1, bound: 1)
        let name = String(repeating: "x", count: 65_000)
        world.broker.send(World.report(0), text: #"{"id":"x","data":{"\#(name)":1}}"#)
        try world.runStatus()

        let letter = try #require(try world.read { try $0.deadLetters.page(limit: 1) }.first)
        #expect(letter.reason.unicodeScalars.count <= 1024)
        let answer = try #require(world.broker.published(to: World.response(0)).first)
        #expect(!answer.isOK && (answer.errorField?.count ?? .max) <= 256)
        #expect(answer.errorField?.hasPrefix("data.xxx") == true)
        let notices = world.broker.published(ending: "/system/dead-letter")
        #expect(notices.first?["reason"]?.stringValue == letter.reason)
    }

    @Test("Only the structure of an invalid registration is stored")
    func secretLetters() throws {
        let world = try World()
        let topic = "ll/v1/product/\(World.key.text)/0123456789ab/register"
        world.broker.send(topic, text: #"{"id":"x","mac":"ffffffffffff","passcode":"canary-77"}"#)
        try world.runStatus()
        let letter = try #require(try world.read { try $0.deadLetters.page(limit: 1) }.first)
        #expect(letter.isShapeOnly)
        #expect(!String(decoding: letter.payload, as: UTF8.self).contains("canary-77"))
        #expect(world.broker.published(ending: "/registered").first?.errorField == "mac")
    }

}
