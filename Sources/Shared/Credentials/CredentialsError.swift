/// The reason why the credentials file could not be written.
package enum CredentialsError: Error, Equatable {
    /// A record has an invalid key or overlong filters, so nothing was written.
    case invalidRecord(kind: Record.Kind, key: String)
    /// The system call `call` failed with `errno`. The file contains no part of a failed append.
    case system(call: String, errno: Int32)
    /// The file is damaged, or a failed append could not be undone. The caller must `rewrite` the file.
    case damaged
    /// Other writers held the lock during the entire wait. Nothing was written.
    case busy
    /// Another writer took over the lock because this writer was inactive for too long. The caller must `rewrite` the
    /// file.
    case lostTurn
}
