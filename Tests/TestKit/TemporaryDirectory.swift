package import Foundation
import Synchronization

/// A directory of its own for one test, removed with everything in it when the test lets go of it.
package final class TemporaryDirectory: Sendable {
    /// Where it is.
    package let url: URL
    private let last = Mutex<(@Sendable () -> Void)?>(nil)

    /// Makes the directory.
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

    /// Sets what else goes when the directory goes.
    package func onRemoval(_ body: @escaping @Sendable () -> Void) {
        last.withLock { $0 = body }
    }

    /// Where it is, as a path.
    package var path: String { url.path }

    /// Gives the path of a file in the directory, whether or not it exists.
    package func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a file into the directory and gives its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
