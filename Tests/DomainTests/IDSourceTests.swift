import Domain
import TestKit
import Testing

@Suite("Ids")
struct IDSourceTests {
    @Test("A million ids made in one moment are distinct and ascending")
    func oneMillisecond() {
        var source = IDSource()
        var last = ""
        for _ in 0..<1_000_000 {
            // Only the timestamps are compared, without the two random digits at the end.
            let stamp = String(source.make("d", at: Make.now).utf8.dropLast(2)) ?? ""
            if stamp <= last { Issue.record("\(stamp) follows \(last)") }
            last = stamp
        }
    }

    @Test("Ids ascend over time, even if the clock is set back")
    func acrossMoments() {
        var source = IDSource()
        var random = Seed(1)
        var milliseconds = Make.now.milliseconds
        var last = ""
        for _ in 0..<100_000 {
            milliseconds += Int64.random(in: -2...5, using: &random)
            let id = source.make("d", at: Instant(milliseconds: milliseconds))
            let stamp = String(id.utf8.dropLast(2)) ?? ""
            if stamp <= last { Issue.record("\(stamp) follows \(last)") }
            last = stamp
        }
    }

    @Test("Sources never make the same id, whether they have one slot or different slots")
    func slots() throws {
        let slots = [try #require(NodeSlot(1)), try #require(NodeSlot(63))]
        var sources = (slots + slots).map { IDSource(of: $0) }
        var ids: Set<String> = []
        // Only a limited number of ids can be made for one millisecond. The test makes more ids than that, so some ids
        // get the timestamp of a later millisecond.
        for _ in 0..<1_000 {
            for index in sources.indices { ids.insert(sources[index].make("d", at: Make.now, shard: 0xab)) }
        }

        #expect(ids.count == 4_000)
        #expect(ids.allSatisfy { $0.hasSuffix("ab") })
    }

    @Test("The last two hexadecimal digits are about evenly distributed")
    func shards() {
        var source = IDSource()
        var counts: [String: Int] = [:]
        let total = 256 * 400
        for _ in 0..<total { counts[String(source.make("d", at: Make.now).suffix(2)), default: 0] += 1 }

        #expect(counts.count == 256)
        // Each value is expected 400 times, with a standard deviation of 20. A difference of eight standard deviations
        // doesn't happen by chance.
        #expect(counts.values.allSatisfy { (240...560).contains($0) })
    }

    @Test("An id has its prefix, 13 characters and the specified form")
    func form() {
        var source = IDSource()
        let id = source.make("u", at: Make.now)
        #expect(id.hasPrefix("u-") && id.utf8.count == 15)
        #expect(UserID(id) != nil)
        #expect(id.utf8.suffix(2).allSatisfy { (48...57).contains($0) || (97...102).contains($0) })
    }

    @Test("Two sources practically never make the same id")
    func twoSources() {
        var one = IDSource()
        var two = IDSource()
        let ids = Set(
            (0..<100).flatMap { moment in
                let now = Instant(milliseconds: Make.now.milliseconds + Int64(moment) * 2)
                return [one.make("d", at: now), two.make("d", at: now)]
            }
        )
        #expect(ids.count >= 199)
    }
}

@Suite("Forms of ids")
struct IdentifierTests {
    @Test(
        "A plain id has 1 to 64 plain characters",
        arguments: [
            ("a", true), ("A-z_0", true), (String(repeating: "x", count: 64), true), ("", false),
            (String(repeating: "x", count: 65), false), ("a b", false), ("a/b", false),
            ("ä", false),
            ("a+", false), ("#", false), ("a\0", false), ("$SYS", false),
        ]
    )
    func plain(_ text: String, _ isGood: Bool) {
        #expect((DeviceID(text) != nil) == isGood)
        #expect((MessageID(text) != nil) == isGood)
    }

    @Test(
        "A MAC has 12 lowercase hexadecimal digits or is an IMEI",
        arguments: [
            ("0123456789ab", true), ("123456789012345", true), ("0123456789AB", false), ("0123456789a", false),
            ("0123456789abc", false), ("12345678901234a", false), ("01:23:45:67:89:ab", false), ("", false),
        ]
    )
    func mac(_ text: String, _ isGood: Bool) {
        #expect((MAC(text) != nil) == isGood)
    }

    @Test(
        "A product key or terminal id has 32 lowercase hexadecimal digits",
        arguments: [
            (String(repeating: "0f", count: 16), true), (String(repeating: "0F", count: 16), false),
            (String(repeating: "0", count: 31), false), (String(repeating: "0", count: 33), false),
            (String(repeating: "g", count: 32), false),
        ]
    )
    func hex(_ text: String, _ isGood: Bool) {
        #expect((ProductKey(text) != nil) == isGood)
        #expect((TerminalID(text) != nil) == isGood)
    }

    @Test("Seconds until a moment are rounded up and never negative")
    func seconds() {
        let now = Instant(milliseconds: 1000)
        #expect(now.seconds(until: Instant(milliseconds: 1001)) == 1)
        #expect(now.seconds(until: Instant(milliseconds: 2000)) == 1)
        #expect(now.seconds(until: Instant(milliseconds: 2001)) == 2)
        #expect(now.seconds(until: Instant(milliseconds: 0)) == 0)
    }
}

@Suite("Sessions")
struct SessionTests {
    @Test("A token is valid until its session ends or it expires")
    func refusal() {
        var session = Session(
            id: SessionID(trusted: "s-1"),
            uid: UserID(trusted: "u-1"),
            app: AppID(trusted: "app"),
            terminal: TerminalID(trusted: String(repeating: "0", count: 32)),
            platform: "",
            os: "",
            name: "",
            loginTime: Make.now,
            expiresAt: Make.at(10)
        )
        #expect(session.refusal(at: Make.at(9)) == nil)
        #expect(session.refusal(at: Make.at(10))?.reason == "expired")
        session.endedAt = Make.at(5)
        session.endReason = .replaced
        #expect(session.refusal(at: Make.at(6))?.reason == "replaced")
        #expect(session.refusal(at: Make.at(6))?.code == .invalidToken)
    }
}
