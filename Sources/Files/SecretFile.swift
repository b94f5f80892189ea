import Problems
import Sodium

/// A file of mode 0600 that contains one secret on one line.
package enum SecretFile {
    /// Reads a secret, or makes one if the file is missing.
    ///
    /// By default, a new secret is 32 random bytes, as 43 characters of base64url.
    ///
    /// - Throws: A `Problem` if the file can't be read or written.
    package static func readOrMake(_ path: String, making make: () -> String = Sodium.randomSecret) throws -> String {
        if TextFile.exists(path) { return try read(path) }
        let secret = make()
        do {
            try TextFile.write(secret + "\n", to: path)
        } catch {
            throw Problem.secretUnusable(path: path, why: "it cannot be written: \(error)")
        }
        return secret
    }

    /// Reads a secret that must exist.
    ///
    /// - Throws: A `Problem` if the file is missing, empty or readable by others.
    package static func read(_ path: String) throws -> String {
        guard let text = TextFile.read(path) else {
            throw Problem.secretUnusable(path: path, why: "it is missing, or this user can't read it")
        }
        let secret = text.prefix { !$0.isNewline }
        guard !secret.isEmpty else { throw Problem.secretUnusable(path: path, why: "it is empty") }
        if let mode = TextFile.mode(path), mode & 0o077 != 0 {
            throw Problem.secretUnusable(path: path, why: "others can read it (mode 0\(String(mode, radix: 8)))")
        }
        return String(secret)
    }
}

/// The passwords of a data directory's service principals.
package struct ServiceSecrets: Sendable {
    /// The password of `service:lamplighter`, the principal of the workers.
    package let service: String
    /// The password of `service:tools`, the principal of commands and tests.
    package let tools: String
    /// The password of `service:console`, a principal that can only read.
    ///
    /// The console's password is derived from the tools' password. The tools' password is the same for all processes
    /// that use one database.
    package var console: String {
        Sodium.base64URL(Sodium.sha256("service:console/\(tools)".utf8))
    }

    /// Reads both passwords, and makes a password if its file is missing.
    ///
    /// If `serviceFile` is given, the workers' password is read from that file, which must exist.
    ///
    /// A new tools' password is derived from the workers' password. Processes that share the workers' password
    /// therefore also share the tools' password.
    /// - Throws: A `Problem` if a file can't be read or written.
    package init(_ directory: DataDirectory, serviceFile: String? = nil) throws {
        let service = try serviceFile.map { try SecretFile.read($0) } ?? SecretFile.readOrMake(directory.serviceSecret)
        self.service = service
        tools = try SecretFile.readOrMake(directory.toolsSecret) {
            Sodium.base64URL(Sodium.sha256("service:tools/\(service)".utf8))
        }
    }
}
