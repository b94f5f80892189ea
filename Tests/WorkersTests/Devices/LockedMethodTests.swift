import Domain
import JSON
import Testing

@testable import Workers

/// Tests of the locks that methods take; in tests, a write without the required lock ends the process.
@Suite("Locks of methods that write")
struct LockedMethodTests {
    private let world: World
    private let did = JSONValue.string(World.did(0).text)

    init() throws { world = try World(devices: 1, users: 1, bound: 1) }

    private func ask(_ method: String, _ params: JSONObject) throws -> JSONObject {
        world.clock.advance(seconds: 1)
        world.sendRequest(0, method, id: method.replacing("/", with: "-"), params)
        try world.runControl()
        return try #require(world.answers().last)
    }

    @Test("Changing a home, and a device in it, takes the locks")
    func homes() throws {
        let made = try ask("home/create", ["name": "Home"])
        let home = try #require(made["result"]?.objectValue?["homeId"])

        #expect(try ask("home/rename", ["homeId": home, "name": "House"]).isOK)
        #expect(try ask("home/addDevice", ["homeId": home, "did": did]).isOK)
        #expect(try world.count("homeDevice") == 1)
        #expect(try ask("home/removeDevice", ["homeId": home, "did": did]).isOK)
        #expect(try world.count("homeDevice") == 0)
        #expect(try ask("home/delete", ["homeId": home]).isOK)
        #expect(try world.count("home") == 0)
    }

    @Test("Changing a user's name for a device, and the permission to reset it, takes the locks")
    func device() throws {
        #expect(try ask("device/setCustomInfo", ["did": did, "alias": "Lamp"]).isOK)
        #expect(try ask("device/allowReset", ["did": did]).isOK)
    }
}
