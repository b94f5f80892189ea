import Domain
import Testing

@Suite("Operators' names and tags for devices")
struct DeviceTagTests {
    static let tags: [(name: String, value: String, fits: Bool)] = [
        ("floor", "2", true), ("spare", "", true), ("aB_9-c", "a b=c, d", true),
        (String(repeating: "a", count: 32), String(repeating: "ü", count: 64), true), ("", "2", false),
        ("Floor", "2", false), ("2nd", "", false), ("floor-", "", false), ("a b", "", false), ("größe", "", false),
        (String(repeating: "a", count: 33), "", false), ("floor", String(repeating: "ü", count: 65), false),
        ("floor", " 2", false), ("floor", "2 ", false), ("floor", "a\nb", false), ("floor", "say \"x\"", false),
        ("floor", "\u{202e}2", false), ("floor", "\u{9b}2", false),
    ]

    @Test("A tag has a short name and a single-line value", arguments: tags)
    func form(_ name: String, _ value: String, _ fits: Bool) {
        if fits {
            let tag = try? DeviceTag(name, value, field: "tags.x")
            #expect(tag?.name == name && tag?.value == value)
        } else {
            let refusal = #expect(throws: Rejection.self) { try DeviceTag(name, value, field: "tags.x") }
            #expect(refusal?.code == .invalidRequest && refusal?.field == "tags.x")
        }
    }

    @Test("A tag is shown with its value if it has one")
    func text() {
        #expect(DeviceTag(trusted: "floor", "2").text == "floor=2")
        #expect(DeviceTag(trusted: "spare", "").text == "spare")
    }

    static let names: [(String, Bool)] = [
        ("", true), ("Hall, \"second\" floor", true), (String(repeating: "灯", count: 64), true),
        (String(repeating: "灯", count: 65), false), (" Hall", false), ("Hall ", false), ("a\tb", false),
        ("\u{2066}Hall", false),
    ]

    @Test("A name is a single line; an empty name removes it", arguments: names)
    func name(_ name: String, _ fits: Bool) {
        if fits {
            #expect(throws: Never.self) { try DeviceName.check(name) }
        } else {
            let refusal = #expect(throws: Rejection.self) { try DeviceName.check(name) }
            #expect(refusal?.field == "name")
        }
    }

    private static func tag(_ name: String, _ value: String = "") -> DeviceTag { DeviceTag(trusted: name, value) }

    @Test("A change sets tags, removes tags and keeps the others, in alphabetical order") func change() throws {
        var change = DeviceLabeling()
        change.set = ["floor": Self.tag("floor", "3"), "area": Self.tag("area", "x")]
        change.removed = ["spare", "never"]
        let former = [Self.tag("floor", "2"), Self.tag("room", "1"), Self.tag("spare")]
        let tags = try change.tags(after: former)
        #expect(tags.map(\.text) == ["area=x", "floor=3", "room=1"])
    }

    @Test("The number of a device's tags is limited")
    func most() throws {
        let full = (0..<DeviceTag.countMax).map { Self.tag("t\($0)") }
        var change = DeviceLabeling()
        change.set = ["t0": Self.tag("t0", "again")]
        #expect(try change.tags(after: full).count == DeviceTag.countMax)
        change.set["more"] = Self.tag("more")
        let refusal = #expect(throws: Rejection.self) { try change.tags(after: full) }
        #expect(refusal?.field == "tags")
        change.removed = ["t5"]
        #expect(try change.tags(after: full).count == DeviceTag.countMax)
    }
}
