import ArgumentParser
import Domain
import Files
import JSON
import Problems
import Service
import Storage
import Workers

extension DeviceControlCommand {
    func validate() throws {
        guard ttl.map({ (1...Command.ttlMax).contains($0) }) ?? true else {
            throw ValidationError("--ttl takes 1 to \(Command.ttlMax) seconds")
        }
        var names: Set<Substring> = []
        for text in assignments {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw ValidationError("give each value as NAME=VALUE, not \(text)")
            }
            guard names.insert(parts[0]).inserted else {
                throw ValidationError("\(parts[0]) is given twice; it can take one value")
            }
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        let device = try place.device(did)
        let product = try place.store.read { try $0.products.find(device.productKey) }
        let data = JSONObject(members: try assignments.map { try Self.member($0, of: product) })
        if !queue { try ToolClient(place.directory, place.settings).requireService() }
        var command = try await take(data, device, in: place)
        let newest: [String: String?] = ["cursor": "\(command.integer("cid") + 1)", "limit": "1"]
        while !queue, !Self.isFinal(command) {
            try await Task.sleep(for: .milliseconds(50))
            let found = try await place.run("listCommands", ["did": did], query: newest).items.first
            // If the command has been deleted, the query finds an older command instead.
            guard let found, found.integer("cid") == command.integer("cid") else { break }
            command = found
        }
        show(command, of: device)
        if !queue, command["state"] != "done" { throw ExitCode(1) }
    }

    private static func isFinal(_ command: JSONObject) -> Bool {
        Command.State(rawValue: command.text("state"))?.isFinal ?? true
    }

    private func take(_ data: JSONObject, _ device: DeviceRecord, in place: CommandContext) async throws -> JSONObject {
        do {
            return try await place.run(
                "commandDevice",
                ["did": did],
                body: ["data": .object(data), "mode": queue ? "queue" : "now", "ttl": ttl.map { .integer($0) }]
            )
        } catch let rejection as Rejection { throw problem(rejection, device, path: place.directory.path) }
    }

    private func problem(_ rejection: Rejection, _ device: DeviceRecord, path: String) -> Problem {
        let (did, fault, product) = (device.did.text, rejection.message, device.productKey.text)
        let place = rejection.field ?? did
        return switch rejection.code {
        case .deviceOffline: .deviceAway(did: did, fault: fault, place: place, directory: path)
        case .tooManyRequests: .tooManyCommands(did: did, fault: fault, place: place, directory: path)
        case .invalidRequest:
            .commandInvalid(did: did, fault: fault, place: place, product: product, directory: path)
        default: .commandRefused(did: did, fault: fault, place: place, product: product, directory: path)
        }
    }

    private static func member(
        _ text: String,
        of product: Product?
    ) throws -> JSONObject.Member {
        let parts = text.split(separator: "=", maxSplits: 1)
        let name = String(parts[0])
        let plain = JSONValue.string(String(parts[1]))
        let value = (try? JSONValue.parse(parts[1].utf8)) ?? plain
        let isText = product?.dataPoints.contains { $0.name == name && $0.kind.isText } ?? false
        guard isText || value != .null else { throw ValidationError("\(name) can't be set to null") }
        // A string can be given with or without quotes. If the data point contains text, 0042 is read as a string even
        // without quotes.
        return .init(key: name, value: isText && value.stringValue == nil ? plain : value)
    }

    private func show(_ command: JSONObject, of device: DeviceRecord) {
        if common.output.json { return Terminal.show(.object(command)) }
        let code = command["code"] == nil ? "" : ", code \(command.text("code"))"
        print(
            "\(device.shown)  command \(command.text("cid"))  \(command.text("state"))\(code)"
        )
        if let result = command["result"] { Terminal.show(result) }
    }
}
