import Glibc
package import SystemPackage

/// Functions that read and write small files with the required mode.
package enum TextFile {
    /// Reads at most 4 MiB of a file as UTF-8, or returns nil if that is impossible.
    package static func read(_ path: String) -> String? {
        guard let bytes = readBytes(path) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Reads a file's first bytes, or returns nil if it can't be read.
    package static func readBytes(_ path: String, upTo limit: Int = 4 << 20) -> [UInt8]? {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return nil }
        defer { try? file.close() }
        return readBytes(file, upTo: limit)
    }

    /// Returns the reason why a file can't be read, including the name of this process's user.
    package static func unreadable(_ path: String) -> String {
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
        if access(path, R_OK) == 0 {
            let isFolder = (try? Stat(path))?.type == .directory
            return isFolder ? "it is a directory" : "it cannot be read"
        }
        guard errno == EACCES else { return "it is missing" }
        guard let mode = mode(path) else { return "the user \(user) can't enter its folder" }
        return "the user \(user) can't read it (mode 0\(String(mode, radix: 8)))"
    }

    /// Reads at most 4 MiB of standard input, or returns nil if it isn't readable.
    ///
    /// The function doesn't open `/dev/stdin`, because that would open the file behind standard input once more. If
    /// another user opened that file, this process might not have the right to open it.
    package static func readStandardInput() -> [UInt8]? {
        readBytes(.standardInput, upTo: 4 << 20)
    }

    private static func readBytes(_ file: FileDescriptor, upTo limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(65_536, limit))
        while bytes.count < limit {
            guard let count = try? buffer.withUnsafeMutableBytes({ try file.read(into: $0) }) else { return nil }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        return Array(bytes.prefix(limit))
    }

    /// Atomically writes a text to a file (mode 0600), by writing a temporary file and renaming it.
    ///
    /// - Throws: `Errno` if the file can't be written.
    package static func write(_ text: String, to path: String) throws { try write(bytes: Array(text.utf8), to: path) }

    /// Atomically writes bytes to a file (mode 0600), by writing a temporary file and renaming it.
    ///
    /// - Throws: `Errno` if the file can't be written.
    package static func write(bytes: [UInt8], to path: String) throws {
        let unfinished = path + ".new"
        unlink(unfinished)
        let file = try create(unfinished)
        try file.closeAfter {
            try file.writeAll(bytes)
            guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
        guard rename(unfinished, path) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Creates a file of mode 0600 for writing, or throws if it exists.
    ///
    /// - Throws: `Errno` if the file can't be created.
    package static func create(_ path: String) throws -> FileDescriptor {
        try FileDescriptor.open(
            FilePath(path),
            .writeOnly,
            options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite
        )
    }

    /// Returns whether a file or directory exists at a path.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Returns the size of a file in bytes, or nil if it is missing.
    package static func size(_ path: String) -> Int? {
        (try? Stat(path)).map { Int($0.size) }
    }

    /// Returns the sorted names of a directory's entries, or `[]` if the directory isn't readable.
    package static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Makes the missing directories above a path (mode 0700).
    ///
    /// - Throws: `Errno` if a directory can't be made.
    package static func makeFolders(of path: String) throws {
        let folder = FilePath(path).removingLastComponent().string
        guard !folder.isEmpty, !exists(folder) else { return }
        try makeFolders(of: folder)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
    }

    /// Syncs the folder of a new file, so that the file's name survives a crash of the machine.
    package static func syncDirectory(of path: String) {
        let folder = FilePath(path).removingLastComponent()
        guard let file = try? FileDescriptor.open(folder, .readOnly, options: .closeOnExec) else { return }
        fsync(file.rawValue)
        try? file.close()
    }

    /// Returns the lowest nine bits of a file's mode, or nil if the file is missing.
    package static func mode(_ path: String) -> Int? { (try? Stat(path)).map { Int($0.permissions.rawValue & 0o777) } }
}

/// A function that makes paths absolute, and thus valid in every working directory.
package enum AbsolutePath {
    /// Returns the absolute, normalised form of a path, without resolving symbolic links.
    package static func of(_ path: String) -> String {
        let given = FilePath(path)
        if given.isAbsolute { return given.lexicallyNormalized().string }
        guard let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return FilePath(String(cString: here)).pushing(given).lexicallyNormalized().string
    }
}
