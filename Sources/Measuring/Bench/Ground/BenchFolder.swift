import Foundation

/// The creation and removal of a benchmark's temporary folder.
enum BenchFolder {
    /// Creates a private folder in `place`, or by default in the system's temporary folder.
    static func make(in place: String? = nil) throws -> String {
        let folder = (place.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory).appending(
            path: "lamplighter-bench-\(UUID().uuidString.lowercased())"
        )
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false, attributes: mode)
        return folder.path
    }

    /// Removes a folder and everything in it, and ignores errors.
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
