import Domain
import JSON
import Problems

extension DeviceNameCommand {
    var body: JSONObject { ["name": .string(name)] }
}

extension DeviceTagCommand {
    var body: JSONObject {
        var given: JSONObject = [:]
        for text in tags {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 1, text.hasSuffix("-") {
                given[String(text.dropLast())] = .null
            } else {
                given[String(parts[0])] = .string(parts.count > 1 ? String(parts[1]) : "")
            }
        }
        return ["tags": .object(given)]
    }
}

/// A command that changes a device's name or tags.
protocol LabelCommand: OperationCommand {
    /// The device's id.
    var did: String { get }
}

extension LabelCommand {
    static var operation: String { "labelDevice" }
    var path: [String: String] { ["did": did] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        do {
            return try await place.run(Self.operation, path, body: body, isNoted: true)
        } catch let rejection as Rejection {
            throw Problem.labelInvalid(did: did, fault: rejection.message, place: rejection.field ?? did)
        }
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let texts = [answer.named("did", "name")] + answer.tags.map { PlainText.of($0) }
        print(texts.joined(separator: "  "))
    }
}
