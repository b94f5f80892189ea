package import Domain

/// Users' pictures, served by their digest.
package struct AvatarTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// A picture.
    package struct Image: Sendable, Equatable {
        /// `image/png` or `image/jpeg`.
        package var mediaType: String
        /// The file.
        package var bytes: [UInt8]

        /// Makes a picture.
        package init(mediaType: String, bytes: [UInt8]) {
            self.mediaType = mediaType
            self.bytes = bytes
        }
    }

    /// Keeps a user's picture in place of the previous one.
    package func save(_ image: Image, digest: String, of uid: UserID) throws {
        try sql.run(
            """
            INSERT INTO avatar (uid, digest, mediaType, image) VALUES ($1, $2, $3, $4)
            ON CONFLICT (uid) DO UPDATE SET
                digest = excluded.digest, mediaType = excluded.mediaType, image = excluded.image
            """,
            uid,
            digest,
            image.mediaType,
            image.bytes
        )
    }

    /// Returns the picture of a digest, or nil.
    package func find(_ digest: String) throws -> Image? {
        try sql.first("SELECT mediaType, image FROM avatar WHERE digest = $1", digest) {
            Image(mediaType: $0.next(), bytes: $0.next())
        }
    }

    /// Erases a user's picture.
    package func erase(_ uid: UserID) throws {
        try sql.run("DELETE FROM avatar WHERE uid = $1", uid)
    }
}
