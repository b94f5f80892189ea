/// Why the credentials file could not be written.
package enum CredentialsError: Error, Equatable {
    /// A key is no id of the contract, or a list of filters is too long; nothing was written.
    case invalidRecord(kind: Record.Kind, key: String)
    /// The system refused; `call` names what, `errno` why. Nothing of an append was left in the file.
    case system(call: String, errno: Int32)
    /// The file is not as its writers leave it, or a failed append could not be taken back: `rewrite` it.
    case damaged
}
