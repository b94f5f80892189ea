package import Files
package import JSON
import Problems
import Sodium

/// Names and secrets of the demo product and app, made once for a data directory.
package struct DemoKeys: Sendable, Equatable {
    /// The demo app's id.
    package let appID: String
    /// The secret with which its terminals connect until they have a session.
    package let appSecret: String
    /// The demo product's key, 32 hex digits.
    package let productKey: String
    /// The secret with which its devices connect until they have an identity.
    package let productSecret: String

    /// Reads the keys, or makes them at first use.
    ///
    /// - Throws: A `Problem` if the file can't be read or written.
    package static func readOrMake(_ directory: DataDirectory) throws -> DemoKeys {
        if TextFile.exists(directory.demo) { return try read(directory) }
        let keys = DemoKeys(
            appID: "demo",
            appSecret: Sodium.randomSecret(),
            productKey: hex(16),
            productSecret: Sodium.randomSecret()
        )
        do { try TextFile.write(String(decoding: keys.json.encoded(), as: UTF8.self) + "\n", to: directory.demo) } catch
        { throw Problem.demoKeysUnusable(path: directory.demo, why: "it cannot be written: \(error)") }
        return keys
    }

    /// Reads the keys that `up` made.
    ///
    /// - Throws: A `Problem` if they are missing or malformed.
    package static func read(_ directory: DataDirectory) throws -> DemoKeys {
        guard let bytes = TextFile.readBytes(directory.demo) else {
            throw Problem.demoKeysUnusable(
                path: directory.demo,
                why: "there is no demo: the service was started with --no-demo"
            )
        }
        guard let object = try? JSONValue.parse(bytes).objectValue, let appID = object["appId"]?.stringValue,
            let appSecret = object["appSecret"]?.stringValue, let productKey = object["productKey"]?.stringValue,
            let productSecret = object["productSecret"]?.stringValue
        else { throw Problem.demoKeysUnusable(path: directory.demo, why: "it is malformed") }
        return DemoKeys(appID: appID, appSecret: appSecret, productKey: productKey, productSecret: productSecret)
    }

    /// The keys as written to `demo.json` and `ready.json`.
    package var json: JSONValue {
        .object([
            "appId": .string(appID), "appSecret": .string(appSecret), "productKey": .string(productKey),
            "productSecret": .string(productSecret),
        ])
    }

    /// Returns random lowercase hex digits, two per byte.
    package static func hex(_ bytes: Int) -> String {
        Sodium.hex(Sodium.randomBytes(bytes))
    }
}
