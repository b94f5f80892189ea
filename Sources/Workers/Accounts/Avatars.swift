import Domain
import Foundation
import Sodium
import Storage
import Wire

/// `account/setAvatar`, which stores a small picture under a hash.
enum Avatars {
    static let methods: [String: Method] = ["account/setAvatar": Method(locks: .user, run: set)]

    private static let bytesMax = 45 * 1024

    @Sendable
    private static func set(_ call: inout Call) throws -> Reply {
        var user = try call.user()
        let fields = call.fields
        guard case .set(let text) = try AvatarParameters(fields) else { return try remove(from: &user, &call) }
        guard let data = Data(base64Encoded: text) else { throw fields.refuse("data", "must be base64 text") }
        let bytes = Array(data)
        guard bytes.count <= bytesMax else { throw fields.refuse("data", "must contain at most \(bytesMax) bytes") }
        guard let mediaType = mediaType(of: bytes) else {
            throw fields.refuse("data", "must be a PNG or a JPEG picture")
        }
        // With the user's id in the hash, two users' equal pictures have different URLs.
        let digest = Sodium.hex(Sodium.sha256(Array(user.uid.text.utf8) + bytes))
        try call.tx.avatars.save(AvatarTable.Image(mediaType: mediaType, bytes: bytes), digest: digest, of: user.uid)
        user.avatar = digest
        try call.save(user)
        return .result(AccountCodec.avatar(of: user, publicURL: call.environment.publicURL))
    }

    /// Removes the user's picture, whether the user or an identity provider supplied it.
    private static func remove(from user: inout User, _ call: inout Call) throws -> Reply {
        try call.tx.avatars.erase(user.uid)
        user.avatar = nil
        user.avatarURL = nil
        try call.save(user)
        return .done
    }

    private static func mediaType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        return bytes.starts(with: [0xFF, 0xD8, 0xFF]) ? "image/jpeg" : nil
    }
}
