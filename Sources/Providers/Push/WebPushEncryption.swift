import Crypto
import Foundation
import Sodium

/// Encrypts a push so that only the terminal can read it (RFC 8291).
struct WebPushEncryption {
    private let publicKey: P256.KeyAgreement.PublicKey
    private let auth: [UInt8]

    /// The size of a record, which is larger than any push.
    private static let recordBytes: UInt32 = 4_096

    /// Parses the keys of a subscription, or returns nil if they are malformed.
    init?(publicKey: String, auth: String) {
        func bytes(_ text: String) -> [UInt8]? { IDToken.bytes(text[...].prefix { $0 != "=" }) }
        guard let point = bytes(publicKey), let auth = bytes(auth), auth.count == 16,
            let key = try? P256.KeyAgreement.PublicKey(x963Representation: point)
        else { return nil }
        (self.publicKey, self.auth) = (key, auth)
    }

    /// Encrypts a text as one record of `aes128gcm` (RFC 8188).
    ///
    /// Each call needs its own `key` and its own `salt`. A salt consists of 16 random bytes.
    func encrypt(
        _ text: [UInt8],
        key: P256.KeyAgreement.PrivateKey = P256.KeyAgreement.PrivateKey(),
        salt: [UInt8] = Sodium.randomBytes(16)
    ) throws -> [UInt8] {
        let sender = Array(key.publicKey.x963Representation)
        let info = Array("WebPush: info\0".utf8) + Array(publicKey.x963Representation) + sender
        let shared = try key.sharedSecretFromKeyAgreement(with: publicKey)
            .hkdfDerivedSymmetricKey(using: SHA256.self, salt: auth, sharedInfo: info, outputByteCount: 32)
        func derive(_ name: String, _ count: Int) -> SymmetricKey {
            let info = Array("Content-Encoding: \(name)\0".utf8)
            return HKDF<SHA256>.deriveKey(inputKeyMaterial: shared, salt: salt, info: info, outputByteCount: count)
        }
        let nonce = derive("nonce", 12).withUnsafeBytes { Array($0) }
        // The byte 2 marks the last record.
        let box = try AES.GCM.seal(text + [2], using: derive("aes128gcm", 16), nonce: AES.GCM.Nonce(data: nonce))
        let size = withUnsafeBytes(of: Self.recordBytes.bigEndian) { Array($0) }
        return salt + size + [UInt8(sender.count)] + sender + Array(box.ciphertext) + Array(box.tag)
    }
}
