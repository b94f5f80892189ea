import Glibc

/// Measures what the disk alone takes of a command's way: the two commits wait for it, and the bare broker
/// does not.
enum BenchDisk {
    /// What a commit of a command writes, about, in bytes.
    private static let commitBytes = 20 << 10
    private static let fileBytes = 32 << 20

    /// How long two flushes in a row take, in milliseconds, ascending: so many pairs a second into a file
    /// that keeps its length.
    ///
    /// - Throws: `LoadError`.
    static func measure(in folder: String, rate: Double, seconds: Double) throws -> [Double] {
        let path = folder + "/disk"
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw LoadError.system(function: "open", code: errno) }
        // Not deleted before the end: discarding its blocks would disturb what is measured next.
        defer { close(file) }
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for start in stride(from: 0, to: fileBytes, by: zeros.count) {
            try write(zeros, at: start, file)
        }
        try flush(file)
        let bytes = [UInt8](repeating: 1, count: commitBytes)
        var place = 0
        var times: [Double] = []
        let begin = LoadClock.nanoseconds
        for number in 0..<Int(rate * seconds) {
            let due = begin + Int64(Double(number) / rate * 1e9)
            let early = due - LoadClock.nanoseconds
            if early > 0 { usleep(UInt32(early / 1000)) }
            let start = LoadClock.nanoseconds
            for _ in 0..<2 {
                try write(bytes, at: place, file)
                try flush(file)
                place = (place + commitBytes) % (fileBytes - commitBytes)
            }
            times.append(Double(LoadClock.nanoseconds - start) / 1e6)
        }
        return times.sorted()
    }

    private static func write(_ bytes: [UInt8], at place: Int, _ file: Int32) throws {
        guard pwrite(file, bytes, bytes.count, off_t(place)) == bytes.count else {
            throw LoadError.system(function: "pwrite", code: errno)
        }
    }

    private static func flush(_ file: Int32) throws {
        guard fdatasync(file) == 0 else {
            throw LoadError.system(function: "fdatasync", code: errno)
        }
    }
}
