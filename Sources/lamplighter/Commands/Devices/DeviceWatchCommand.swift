import ArgumentParser
import Domain
import Glibc
import JSON
import Service
import ServiceSettings
import Storage
import Workers

extension DeviceWatchCommand {
    func validate() throws {
        guard count.map({ $0 > 0 }) ?? true else { throw ValidationError("--count takes 1 or more, not \(count ?? 0)") }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let device = try place.device(did)
        let product = try place.store.read { try $0.products.find(device.productKey) }
        Terminal.tell("Watching \(device.shown); Ctrl-C stops.")
        try DeviceWatch.run(
            device.did,
            root: place.settings.root,
            over: ToolClient(place.directory, place.settings),
            count: count
        ) { observed in
            var body = observed.body
            if let data = body["data"]?.objectValue {
                body["data"] = .object(ProductRules.masked(data, product: product))
            }
            let now = SystemClock().now
            if output.json {
                Terminal.show(
                    .object([
                        "ts": .integer(now.milliseconds), "what": .string(observed.leaf),
                        "of": observed.isOfGate ? "gate" : observed.leaf.sender, "message": .object(body),
                    ])
                )
            } else {
                let text = Terminal.json(.object(body))
                print("\(TimeText.of(now))  \(observed.leaf.arrow) \(observed.leaf)  \(text)")
            }
            fflush(nil)
        }
    }
}

extension String {
    fileprivate var isOfService: Bool { self == "command" || self == "response" }
    fileprivate var sender: JSONValue { isOfService ? "service" : "device" }
    fileprivate var arrow: String { isOfService ? "->" : "<-" }
}
