import ArgumentParser
import Domain
import Glibc
import JSON
import Service
import ServiceSettings
import Storage
import Workers

/// The command `device watch`, which shows the messages between a device and the service as they happen.
struct DeviceWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show a device's reports, commands and answers live; Ctrl-C stops.",
        discussion: "lamplighter device watch d-0123456789abc"
    )

    @Argument(help: "The device's id.")
    var did: String

    @Option(help: "Stop after this number of messages.")
    var count: Int?

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

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
