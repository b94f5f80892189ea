import Domain
import JSON
import Storage
import Testing

@testable import Workers

extension CountTests {
    private func anonymous(_ terminal: Int, _ params: JSONObject = [:]) throws -> String {
        try world.ask(terminal, "loginAnonymous", params).user["uid"]?.stringValue ?? ""
    }

    private func eraseReplaced() throws {
        world.world.clock.advance(seconds: 11)
        try world.world.runMaintenance()
    }

    @Test("A new anonymous login replaces the terminal's anonymous user, who is erased") func replaced() throws {
        let first = try anonymous(0)
        let second = try anonymous(0)
        try eraseReplaced()
        #expect(!first.isEmpty && first != second)
        let left = try world.world.read { tx in try tx.sql.query("SELECT uid FROM account") { $0.next(String.self) } }
        #expect(left == [second])
        #expect(try world.user(0)["uid"] == .string(second))
    }

    @Test("A user who can log in again, has another terminal, or isn't anonymous is not replaced") func kept() throws {
        let secret: JSONObject = ["deviceId": "a-secret-of-16-or-more"]
        let installed = try anonymous(0, secret)
        let other = try anonymous(0)
        #expect(other != installed)
        #expect(try anonymous(0, secret) == installed)
        try eraseReplaced()
        #expect(try world.user(0)["uid"] == .string(installed))

        try world.register(1, ["username": "somebody"])
        _ = try anonymous(1)
        try eraseReplaced()
        #expect(try world.login(2, ["username": "somebody"]).isOK)
    }
}
