import CMosquittoBroker
import Credentials
import Metering

/// The plugin's options in the broker's configuration.
struct Settings {
    /// The path of the service's credentials file (`plugin_opt_credentials`).
    var credentials = ""
    /// The prefix of all topics (`plugin_opt_root`).
    var root = "ll/v1"
    /// The SHA-256 of the password of `service:lamplighter`, given in hex (`plugin_opt_worker_hash`).
    var worker: Digest?
    /// The path of the file with the WebSocket clients' addresses, or an empty string if there is no relay
    /// (`plugin_opt_relayed_addresses`).
    var relayedAddresses = ""
    /// Whether clients' messages are divided among shards (`plugin_opt_shards`).
    var hasShards = false
    /// The credentials file's maximum age in seconds, or 0 for no limit (`plugin_opt_credentials_age`).
    ///
    /// If the file is older, the gate admits only workers. The option is meant for a file that `lamplighter feed`
    /// touches every second.
    var credentialsAgeMax = 0
    /// The limits, which the options in `GateOption` set.
    var limits = GateLimits()

    /// The number of levels of `root`.
    var rootLevels: Int { Array(root.utf8).withUnsafeBufferPointer(FilterShape.count) }

    /// Reads the options, and throws a `Problem` for the first faulty option.
    init(_ options: UnsafeMutablePointer<mosquitto_opt>?, count: Int) throws(Problem) {
        for option in UnsafeBufferPointer(start: options, count: max(0, count)) {
            guard let key = option.key, let value = option.value else { continue }
            try set(String(cString: key), to: String(cString: value))
        }
        if credentials.isEmpty { throw Problem(text: "plugin_opt_credentials is missing") }
        if worker == nil { throw Problem(text: "plugin_opt_worker_hash is missing") }
    }

    /// A fault in an option, with a text that doesn't contain the option's value.
    struct Problem: Error {
        let text: String
    }

    private mutating func set(_ key: String, to value: String) throws(Problem) {
        switch key {
        case "credentials": credentials = value
        case "relayed_addresses": relayedAddresses = value
        case "shards":
            guard value == "true" || value == "false" else {
                throw Problem(text: "plugin_opt_shards must be true or false")
            }
            hasShards = value == "true"
        case "credentials_age":
            guard let seconds = Int(value), (0...86_400).contains(seconds) else {
                throw Problem(text: "plugin_opt_credentials_age must be 0 to 86400")
            }
            credentialsAgeMax = seconds
        case "root":
            let isName = Array(value.utf8).withUnsafeBufferPointer(Topic.isName)
            guard isName, !value.utf8.starts(with: "$".utf8), value.utf8.last != Topic.slash else {
                throw Problem(text: "plugin_opt_root is not a topic")
            }
            root = value
        case "worker_hash":
            worker = Digest(hex: value)
            if worker == nil { throw Problem(text: "plugin_opt_worker_hash is not 64 hexadecimal digits") }
        default:
            guard let option = GateOption(rawValue: key) else { throw Problem(text: "plugin_opt_\(key) is unknown") }
            guard let number = Int(value), (0...option.numberMax).contains(number) else {
                throw Problem(text: "plugin_opt_\(key) must be 0 to \(option.numberMax)")
            }
            limits[keyPath: option.limit] = number
        }
    }
}
