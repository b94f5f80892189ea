import ArgumentParser
import Domain
import JSON

extension DeviceAllowResetCommand {
    /// The range of minutes that the command accepts.
    static let minutesRange: ClosedRange<Int64> = 1...RegistrationRules.resetMinutesMax

    func validate() throws {
        guard Self.minutesRange.contains(minutes) else {
            let range = Self.minutesRange
            throw ValidationError("--minutes takes \(range.lowerBound) to \(range.upperBound), not \(minutes)")
        }
    }

    var path: [String: String] { ["did": did] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        _ = try await place.run(Self.operation, path, body: ["minutes": .integer(minutes)])
        return try await place.run("showDevice", path)
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let device = answer.object("row").named("did", "name")
        let until = answer.moment("resetUntil")
        print("\(device) may be reset by a registration until \(until)")
    }
}
