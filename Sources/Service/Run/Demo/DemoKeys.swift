package import Files
package import JSON
import Problems
import Sodium

/// The ids and secrets of the demo's product and app, created once per data directory.
package struct DemoKeys: Sendable, Equatable {
    /// The id of the demo's app.
    package let appID: String
    /// The secret with which the app's terminals connect until they have a session.
    package let appSecret: String
    /// The key of the demo's product, 32 hexadecimal digits.
    package let productKey: String
    /// The secret with which the product's devices connect until they have registered.
    package let productSecret: String

    /// Reads the keys, or creates them if there are none.
    ///
    /// - Throws: A `Problem` if the file can't be read or written.
    package static func readOrMake(_ directory: DataDirectory) throws -> DemoKeys {
        if TextFile.exists(directory.demo) { return try read(directory) }
        let (secret, other) = (Sodium.randomSecret(), Sodium.randomSecret())
        let keys = DemoKeys(appID: "demo", appSecret: secret, productKey: hex(16), productSecret: other)
        do { try TextFile.write(String(decoding: keys.json.encoded(), as: UTF8.self) + "\n", to: directory.demo) } catch
        { throw Problem.demoKeysUnusable(path: directory.demo, why: "it cannot be written: \(error)") }
        return keys
    }

    /// Reads the keys that `up` created.
    ///
    /// - Throws: A `Problem` if the keys are missing or malformed.
    package static func read(_ directory: DataDirectory) throws -> DemoKeys {
        guard let bytes = TextFile.readBytes(directory.demo) else {
            let why = "there is no demo: the service was started with --no-demo"
            throw Problem.demoKeysUnusable(path: directory.demo, why: why)
        }
        guard let object = try? JSONValue.parse(bytes).objectValue, let appID = object["appId"]?.stringValue,
            let appSecret = object["appSecret"]?.stringValue, let productKey = object["productKey"]?.stringValue,
            let productSecret = object["productSecret"]?.stringValue
        else { throw Problem.demoKeysUnusable(path: directory.demo, why: "it is malformed") }
        return DemoKeys(appID: appID, appSecret: appSecret, productKey: productKey, productSecret: productSecret)
    }

    /// The keys as JSON, as they are written to `demo.json` and `ready.json`.
    package var json: JSONValue {
        JSONObject(showing: [
            "appId": appID, "appSecret": appSecret, "productKey": productKey, "productSecret": productSecret,
        ]).shown
    }

    /// Returns random hexadecimal digits in lower case, two for each byte.
    package static func hex(_ bytes: Int) -> String { Sodium.hex(Sodium.randomBytes(bytes)) }
}
