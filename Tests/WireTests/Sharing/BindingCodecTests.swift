import Domain
import JSON
import Testing
import Wire

@Suite("Pushes about a user's devices")
struct BindingCodecTests {
    /// A change of bindings, and the members that describe this change in a JSON object.
    struct Case: Sendable, CustomTestStringConvertible {
        let change: BindingCodec.Change
        let members: JSONObject
        var testDescription: String { "\(change)" }
    }

    @Test("The hardware names the product as the device states it, or as it is known")
    func hardware() {
        let known = BindingCodec.hardware(["link": "wifi"], productKey: Make.key)
        let own = BindingCodec.hardware(["productKey": "own"], productKey: Make.key)

        #expect(known == ["hardware": ["link": "wifi", "productKey": .string(Make.key.text)]])
        #expect(own == ["hardware": ["productKey": "own"]])
    }

    @Test(
        "A push contains the change with its reason or role, its time and its actor",
        arguments: [
            Case(change: .bound, members: ["type": "bound"]), Case(change: .changed, members: ["type": "changed"]),
            Case(change: .usersChanged, members: ["type": "usersChanged"]),
            Case(change: .resetRequested, members: ["type": "resetRequested"]),
            Case(change: .unbound(.transferred), members: ["type": "unbound", "reason": "transferred"]),
            Case(change: .roleChanged(.owner), members: ["type": "roleChanged", "role": "owner"]),
        ]
    )
    func pushes(_ row: Case) throws {
        let did = DeviceID(trusted: "d-1")

        let push = try Make.object(BindingCodec.push(row.change, of: did, at: Make.now, actor: .system, for: Make.uid))

        for member in row.members.members { #expect(push[member.key] == member.value) }
        #expect(push["did"] == "d-1")
        #expect(push["ts"] == .integer(Make.now.milliseconds))
        #expect(push["actor"] != nil)
        #expect(push.members.count == row.members.members.count + 3)
    }
}
