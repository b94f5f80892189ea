import Files
import JSON
import Providers
import ServiceSettings

/// The pages of the running service's health port.
enum HealthPort {
    /// Returns the port in the service's ready.json, or nil before the service is ready.
    static func port(of directory: DataDirectory) -> Int? {
        ReadyFile.read(directory)?["healthPort"]?.intValue.map { Int($0) }
    }

    /// Returns a page of the health port, or nil if the service doesn't answer.
    static func read(
        _ path: String,
        of directory: DataDirectory,
        _ settings: Settings,
        within patience: Duration
    ) -> [UInt8]? {
        guard let port = port(of: directory) else { return nil }
        let address = Banner.url("http", settings.healthHost, port: port)
        return WebClient.body(of: address + path, within: patience)
    }
}
