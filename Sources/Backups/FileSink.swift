import Files
import Glibc
import Problems
import SystemPackage

/// A writer of one file that only the file's owner can read.
final class FileSink {
    private let path: String
    private let file: FileDescriptor
    private var expected = 0
    private var done = 0
    private var isOpen = true

    /// Creates the file, or replaces the file that a killed process left behind.
    ///
    /// - Throws: A `Problem` if the file can't be created.
    init(_ path: String) throws {
        self.path = path
        unlink(path)
        do {
            file = try TextFile.create(path)
        } catch {
            throw Problem.fileUnwritable(path: path, why: "\(error)")
        }
    }

    deinit { if isOpen { try? file.close() } }

    /// Sets the expected size of the file, from which the progress is computed.
    func expect(_ bytes: Int) { expected = bytes }

    /// Appends a piece, and calls `progress` with the written fraction, from 0 to 1.
    func write(_ piece: [UInt8], progress: (Double) throws -> Void) throws {
        do {
            try file.writeAll(piece)
        } catch {
            throw Problem.fileUnwritable(path: path, why: "\(error)")
        }
        done += piece.count
        try progress(Double(done) / Double(max(1, expected)))
    }

    /// Waits until the file is on the disk, and closes it.
    func close() throws {
        guard isOpen else { return }
        isOpen = false
        defer { try? file.close() }
        guard fsync(file.rawValue) == 0 else {
            throw Problem.fileUnwritable(path: path, why: "\(Errno(rawValue: errno))")
        }
    }

    /// Waits until an existing file is on the disk, even if other code wrote the file.
    static func sync(_ path: String) throws {
        let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        defer { try? file.close() }
        guard fsync(file.rawValue) == 0 else {
            throw Problem.fileUnwritable(path: path, why: "\(Errno(rawValue: errno))")
        }
    }
}
