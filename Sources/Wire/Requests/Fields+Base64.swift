package import Domain
import JSON

extension Fields {
    /// Returns base64 text of at most `binaryMax` characters, or nil if absent.
    package func base64(_ name: String) throws(Rejection) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue, !text.isEmpty, Base64Form.byteCount(text) != nil else {
            throw refuse(name, "must be base64 text")
        }
        guard text.utf8.count <= Payload.binaryMax else {
            throw refuse(name, "must have at most \(Payload.binaryMax) characters")
        }
        return text
    }
}
