/// The reason why the credentials file could not be written.
package enum CredentialsError: Error, Equatable {
    /// A key is not a valid id, or a list of filters is too long; nothing was written.
    case invalidRecord(kind: Record.Kind, key: String)
    /// The system call `call` failed for the reason `errno`. Nothing of an append was left in the file.
    case system(call: String, errno: Int32)
    /// The file is damaged, or a failed append could not be undone: `rewrite` it.
    case damaged
    /// Other writers had the turn during the entire wait; nothing was written.
    case busy
    /// Another writer took the turn, since this writer was silent too long: `rewrite` the file.
    case lostTurn
}
