import Files
import JSON
import Providers
import ServiceSettings

/// The pages of the running service's health port.
enum HealthPort {
    /// The port that the service has told; nil before it is ready.
    static func port(of directory: DataDirectory) -> Int? {
        let ready = TextFile.readBytes(directory.ready).flatMap { try? JSONValue.parse($0) }
        return ready?.objectValue?["healthPort"]?.intValue.map { Int($0) }
    }

    /// Returns a page of the port; nil without one.
    static func read(
        _ path: String,
        of directory: DataDirectory,
        _ settings: Settings,
        within patience: Duration
    ) -> [UInt8]? {
        guard let port = port(of: directory) else { return nil }
        let host = Banner.reachable(settings.healthHost)
        let authority = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return WebClient.body(of: "http://\(authority):\(port)\(path)", within: patience)
    }
}
