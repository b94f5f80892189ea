import Domain
import Sodium

/// A recogniser of an operator's known browsers, each of which has its own limit on sign-in tries.
///
/// The browser stores a mark: a random number and a proof. The proof shows that the number was issued for the operator.
/// The mark alone doesn't sign anyone in.
struct KnownBrowser: Sendable {
    private let key: [UInt8]
    /// How long a browser stays known after a sign-in, in seconds: half a year.
    static let lifeSeconds: Int64 = 15_552_000

    /// Creates a recogniser with a secret that all processes on one database share.
    init(secret: String) { key = Sodium.sha256("console browser/\(secret)".utf8) }

    /// Returns a new mark for a cookie: a 12-character number and its proof.
    ///
    /// The proof is a hash of the number and the name. The number's length is fixed, so no other number and name yield
    /// the same hash.
    func mark(for name: String) -> String {
        let number = Sodium.base64URL(Sodium.randomBytes(9))
        return "\(number).\(proof(number, name))"
    }

    /// Returns the number in a mark, or nil if the mark wasn't issued for the operator `name`.
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
