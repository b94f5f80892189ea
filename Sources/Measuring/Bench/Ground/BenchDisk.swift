import Glibc
import Load

/// A file for measuring a commit's minimum work: writing, and waiting for the disk.
struct BenchDisk {
    /// The approximate number of bytes that the commit for a command writes.
    private static let commitBytes = 20 << 10
    private static let fileBytes = 32 << 20

    private let file: Int32
    private let bytes = [UInt8](repeating: 1, count: commitBytes)
    private var place = 0

    /// Opens a file that, like the store's log, has a constant length.
    ///
    /// - Throws: `LoadError`.
    init(path: String) throws {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw LoadError.system(function: "open", code: errno) }
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for start in stride(from: 0, to: Self.fileBytes, by: zeros.count) { try write(zeros, at: start) }
        try flush()
    }

    /// Writes as many bytes as a commit does, and returns when they are on the disk.
    ///
    /// - Throws: `LoadError`.
    mutating func commit() throws {
        try write(bytes, at: place)
        try flush()
        place = (place + Self.commitBytes) % (Self.fileBytes - Self.commitBytes)
    }

    private func write(_ bytes: [UInt8], at place: Int) throws {
        guard pwrite(file, bytes, bytes.count, off_t(place)) == bytes.count else {
            throw LoadError.system(function: "pwrite", code: errno)
        }
    }

    private func flush() throws {
        guard fdatasync(file) == 0 else { throw LoadError.system(function: "fdatasync", code: errno) }
    }
}
