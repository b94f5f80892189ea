import Files
import Glibc
import Problems

/// A backup's passphrase.
///
/// The passphrase is never given on a command line, because other users could read the command line.
package struct Passphrase: Sendable {
    let bytes: [UInt8]

    /// The minimum number of characters in a passphrase.
    static let countMin = 8

    /// Reads a passphrase from the first line of a file that only its owner can read.
    ///
    /// - Throws: A `Problem` if the file is missing or readable by others, or the passphrase is too short.
    package static func read(file path: String) throws -> Passphrase {
        try checked(SecretFile.read(AbsolutePath.of(path)), at: path)
    }

    /// Asks for a passphrase on the terminal without showing the typed text, and asks twice for a new passphrase.
    ///
    /// - Throws: A `Problem` if there's no terminal, or the inputs differ or are too short.
    package static func ask(isNew: Bool) throws -> Passphrase {
        let first = try type("Passphrase of the backup: ")
        if isNew, try type("Again: ") != first {
            throw Problem.passphraseUnusable(place: "terminal", why: "the two passphrases differ")
        }
        return try checked(first, at: "terminal")
    }

    private static func type(_ prompt: String) throws -> String {
        guard isatty(0) == 1, let typed = getpass(prompt) else {
            throw Problem.passphraseUnusable(place: "terminal", why: "there is no terminal to ask for the passphrase")
        }
        return String(cString: typed)
    }

    private static func checked(_ text: String, at place: String) throws -> Passphrase {
        guard text.unicodeScalars.count >= countMin else {
            throw Problem.passphraseUnusable(place: place, why: "it has fewer than \(countMin) characters")
        }
        return Passphrase(bytes: Array(text.utf8))
    }
}
