import Foundation

/// The temporary folder of a benchmark.
enum BenchFolder {
    /// Makes a private folder in `TMPDIR`, or in a given one.
    ///
    /// - Throws: What the system says.
    static func make(in place: String? = nil) throws -> String {
        let folder = (place.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory)
            .appending(path: "lamplighter-bench-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        return folder.path
    }

    /// Removes a folder with everything in it; what can't be removed stays.
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
