package import Domain

/// Users' pictures; each picture is found by its digest.
package struct AvatarTable: TransactionTable {
    let transaction: Transaction

    /// A picture.
    package struct Image: Sendable, Equatable {
        /// `image/png` or `image/jpeg`.
        package var mediaType: String
        /// The bytes of the image file.
        package var bytes: [UInt8]

        /// Makes a picture.
        package init(mediaType: String, bytes: [UInt8]) {
            (self.mediaType, self.bytes) = (mediaType, bytes)
        }
    }

    /// Stores a user's picture in place of the previous one.
    package func save(_ image: Image, digest: String, of uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run(AvatarRow.table.upsert, AvatarRow(uid: uid, digest: digest, image: image))
    }

    /// Returns the picture that has the given digest, or nil.
    package func find(_ digest: String) throws -> Image? {
        try sql.rows(of: AvatarRow.table, "WHERE digest = $1 LIMIT 1", digest).first?.image
    }

    /// Erases a user's picture.
    package func erase(_ uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run("DELETE FROM avatar WHERE uid = $1", uid)
    }
}

/// A picture with its user and its digest.
struct AvatarRow: TableRow {
    var uid: UserID
    var digest: String
    var image: AvatarTable.Image

    static let table = Table<AvatarRow>("avatar")

    static func map(_ column: inout ColumnMapper<AvatarRow>) -> AvatarRow {
        AvatarRow(
            uid: column("uid", \.uid, as: .key),
            digest: column("digest", \.digest, as: .changing),
            image: AvatarTable.Image(
                mediaType: column("mediaType", \.image.mediaType, as: .changing),
                bytes: column("image", \.image.bytes, as: .changing)
            )
        )
    }
}
