import Foundation

/// The temporary folder of a benchmark.
enum BenchFolder {
    /// Creates a private folder in `TMPDIR` or in a given folder.
    ///
    /// - Throws: The system's error.
    static func make(in place: String? = nil) throws -> String {
        let folder = (place.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory).appending(
            path: "lamplighter-bench-\(UUID().uuidString.lowercased())"
        )
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        return folder.path
    }

    /// Removes a folder with everything in it; files that can't be removed stay.
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
