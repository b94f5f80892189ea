import Domain
import Sodium

/// Recognises a browser in which an operator has signed in before, so that strangers' tries of the password don't count
/// there.
///
/// The browser keeps a random number and the proof that it was given for the operator. The mark doesn't sign anyone in.
struct KnownBrowser: Sendable {
    private let key: [UInt8]
    /// The time that a browser stays known after a sign-in, in seconds: half a year.
    static let lifeSeconds: Int64 = 15_552_000

    /// Creates the recogniser with a secret that all processes of one database share.
    init(secret: String) {
        key = Sodium.sha256("console browser/\(secret)".utf8)
    }

    /// Returns the value of a new browser's cookie: a number of 12 characters and its proof.
    ///
    /// The fixed length keeps the number from being mistaken for a part of the name.
    func mark(for name: String) -> String {
        let number = Sodium.base64URL(Sodium.randomBytes(9))
        return "\(number).\(proof(number, name))"
    }

    /// Returns the number in a cookie that was given for an operator; nil for any other cookie.
    func number(in mark: String?, for name: String) -> String? {
        guard let parts = mark?.split(separator: ".", omittingEmptySubsequences: false), parts.count == 2,
            parts[0].count == 12, Sodium.areEqual(Array(parts[1].utf8), Array(proof(String(parts[0]), name).utf8))
        else { return nil }
        return String(parts[0])
    }

    private func proof(_ number: String, _ name: String) -> String {
        Sodium.base64URL(Sodium.sha256(key + Sodium.sha256("\(number)/\(name)".utf8)))
    }
}
