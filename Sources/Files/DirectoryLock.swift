import Glibc
import Problems
import SystemPackage

/// The lock (`flock` on the file `lock`) that reserves a data directory for one service.
package final class DirectoryLock: Sendable {
    private let file: FileDescriptor

    /// Takes the lock and writes this process's id into the file.
    ///
    /// - Throws: A `Problem` if the file can't be opened or another service holds the lock.
    package init(_ directory: DataDirectory) throws {
        do {
            // The broker must not inherit the lock. Otherwise, a broker that outlives this process would keep the
            // directory locked.
            file = try FileDescriptor.open(
                FilePath(directory.lock),
                .readWrite,
                options: [.create, .closeOnExec],
                permissions: .ownerReadWrite
            )
        } catch { throw Problem.lockUnusable(directory: directory.path, lock: directory.lock, error: "\(error)") }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            defer { try? file.close() }
            throw Self.taken(directory)
        }
        ftruncate(file.rawValue, 0)
        _ = try? file.writeAll(toAbsoluteOffset: 0, Array("\(getpid())\n".utf8))
    }

    deinit { try? file.close() }

    /// Returns the process id of the running service, 0 if the id is unknown, or nil if no service is running.
    package static func holder(of directory: DataDirectory) -> Int32? {
        guard let file = try? FileDescriptor.open(FilePath(directory.lock), .readWrite) else { return nil }
        defer { try? file.close() }
        guard flock(file.rawValue, LOCK_SH | LOCK_NB) != 0 else { return nil }
        return TextFile.read(directory.lock).flatMap { Int32($0.prefix { $0.isNumber }) } ?? 0
    }

    private static func taken(_ directory: DataDirectory) -> Problem {
        let pid = TextFile.read(directory.lock).flatMap { Int32($0.prefix { $0.isNumber }) }
        let holder = pid.map { "the service with pid \($0)" } ?? "another service"
        return Problem.directoryInUse(
            directory: directory.path,
            holder: holder,
            end: pid.map { "kill \($0)" } ?? "lamplighter doctor"
        )
    }
}
