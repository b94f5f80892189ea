import Foundation

/// The temporary folder of a benchmark.
enum BenchFolder {
    /// Removes a folder with everything in it; what can't be removed stays.
    static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }
}
