import Domain
import JSON
import Wire

/// Values that the tests of this target share.
enum Make {
    static let topics = Topics()
    static let did = DeviceID(trusted: "d-0000000000001")
    static let uid = UserID(trusted: "u-0000000000001")
    static let app = AppID(trusted: "demo")
    static let key = ProductKey(trusted: String(repeating: "a", count: 32))
    static let mac = MAC(trusted: "0123456789ab")
    static let terminal = TerminalID(trusted: String(repeating: "f", count: 32))
    static let now = Instant(milliseconds: 1_700_000_000_000)

    static func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    static func object(_ bytes: [UInt8]) throws -> JSONObject {
        guard let object = try JSONValue.parse(bytes).objectValue else { throw NoObject() }
        return object
    }

    struct NoObject: Error {}
}
