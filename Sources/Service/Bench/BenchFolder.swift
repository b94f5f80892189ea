import Foundation

/// The temporary folder of a benchmark.
enum BenchFolder {
    /// Makes a folder of one's own, where `TMPDIR` says.
    ///
    /// - Throws: `LoadError`.
    static func make() throws(LoadError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // mkdtemp puts its own letters in the place of the six.
        var template = Array("\(parent)/lamplighter-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw LoadError.system(function: "mkdtemp", code: errno)
        }
        return String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    }

    /// Removes a folder with everything in it; what can't be removed stays.
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
