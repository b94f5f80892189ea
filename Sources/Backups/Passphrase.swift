import Files
import Glibc
import Problems

/// The passphrase of a backup, never given on a command line, where others could read it.
package struct Passphrase: Sendable {
    let bytes: [UInt8]

    /// The minimum number of characters of a passphrase.
    static let countMin = 8

    /// Reads the first line of a file that only its owner can read.
    ///
    /// - Throws: A `Problem` if the file is missing or readable by others, or its line is too short.
    package static func read(file path: String) throws -> Passphrase {
        try checked(SecretFile.read(AbsolutePath.of(path)), at: path)
    }

    /// Asks on the terminal without showing the typed text, twice for a new passphrase.
    ///
    /// - Throws: A `Problem` if there is no terminal, the two differ, or the passphrase is too short.
    package static func ask(isNew: Bool) throws -> Passphrase {
        let first = try type("Passphrase of the backup: ")
        if isNew, try type("Again: ") != first {
            throw Problem.passphraseUnusable(place: "terminal", why: "the two passphrases differ")
        }
        return try checked(first, at: "terminal")
    }

    private static func type(_ prompt: String) throws -> String {
        guard isatty(0) == 1, let typed = getpass(prompt) else {
            throw Problem.passphraseUnusable(place: "terminal", why: "there is no terminal to ask for it")
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
