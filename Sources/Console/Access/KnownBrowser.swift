import Domain
import Sodium

/// Recognises a browser in which an operator has signed in before: strangers' tries of the password don't count there.
///
/// The browser keeps a number of its own, and what proves that it was given for the operator. It lets nobody in.
struct KnownBrowser: Sendable {
    private let key: [UInt8]
    /// How long a browser stays known after a sign-in, in seconds: half a year.
    static let lifeSeconds: Int64 = 15_552_000

    /// Takes a secret that all processes of one database share.
    init(secret: String) {
        key = Sodium.sha256("console browser/\(secret)".utf8)
    }

    /// Makes the value of a new browser's cookie: a number of 12 characters, so that none can be mistaken for a part of
    /// the name, and its proof.
    func mark(for name: String) -> String {
        let number = Sodium.base64URL(Sodium.randomBytes(9))
        return "\(number).\(proof(number, name))"
    }

    /// Returns the number in a cookie that was given for an operator; nil for any other.
    func number(in mark: String?, for name: String) -> String? {
        guard let parts = mark?.split(separator: ".", omittingEmptySubsequences: false),
            parts.count == 2, parts[0].count == 12,
            Sodium.areEqual(Array(parts[1].utf8), Array(proof(String(parts[0]), name).utf8))
        else { return nil }
        return String(parts[0])
    }

    private func proof(_ number: String, _ name: String) -> String {
        Sodium.base64URL(Sodium.sha256(key + Sodium.sha256("\(number)/\(name)".utf8)))
    }
}
