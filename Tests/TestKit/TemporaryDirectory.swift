package import Foundation
import Synchronization

/// A directory for one test, removed with its contents when the object is released.
package final class TemporaryDirectory: Sendable {
    /// The directory's URL.
    package let url: URL
    private let last = Mutex<(@Sendable () -> Void)?>(nil)

    /// Creates a directory in the system's temporary folder.
    package init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "lamplighter-test-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        last.withLock(\.self)?()
        try? FileManager.default.removeItem(at: url)
    }

    /// Sets a function that is called before the directory is removed.
    package func onRemoval(_ body: @escaping @Sendable () -> Void) {
        last.withLock { $0 = body }
    }

    /// The directory's path.
    package var path: String { url.path }

    /// Returns the path of a file in the directory, whether or not the file exists.
    package func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a file into the directory and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
