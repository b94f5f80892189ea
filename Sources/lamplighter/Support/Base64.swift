import Foundation

/// Bytes as text.
enum Base64 {
    /// Standard base64, padded.
    static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
