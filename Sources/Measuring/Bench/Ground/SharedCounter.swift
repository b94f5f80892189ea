import Glibc
import Load
import Synchronization

/// A count in a shared file, which one process writes and another reads.
final class SharedCounter {
    private let cell: UnsafeMutablePointer<Atomic<Int>>

    /// Opens the counter's file, or creates the file with a count of 0.
    ///
    /// - Throws: `LoadError` if the file can't be opened or mapped.
    init(path: String) throws(LoadError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(function: "open", code: errno) }
        defer { close(file) }
        let size = MemoryLayout<Atomic<Int>>.size
        guard ftruncate(file, size) == 0 else { throw .system(function: "ftruncate", code: errno) }
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED else {
            throw .system(function: "mmap", code: errno)
        }
        // A new file contains only zero bytes, which are a valid atomic 0. Both processes share the mapped memory.
        cell = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
    }

    deinit { munmap(cell, MemoryLayout<Atomic<Int>>.size) }

    var value: Int {
        get { cell.pointee.load(ordering: .relaxed) }
        set { cell.pointee.store(newValue, ordering: .relaxed) }
    }
}
