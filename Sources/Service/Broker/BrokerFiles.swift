import Files
import Glibc
import Problems
package import ServiceSettings
package import SystemPackage

/// The two files that are needed to run the broker as a child process: the program `mosquitto`, and the gate.
package enum BrokerFiles {
    private static let gateName = "libLamplighterGate.so"

    /// Returns the configured path of `mosquitto`, or else the path found in PATH, /usr/sbin or /usr/local/sbin.
    ///
    /// - Throws: A `Problem` if the file doesn't exist.
    package static func program(_ settings: Settings) throws -> String {
        if let path = settings.brokerProgram {
            if access(path, X_OK) == 0 { return AbsolutePath.of(path) }
        } else if let path = Executables.find("mosquitto") {
            return path
        }
        throw Problem.mosquittoMissing(program: settings.brokerProgram)
    }

    /// Returns the gate library's path: the configured one, or else one beside the executable or in
    /// `../lib/lamplighter`.
    ///
    /// - Throws: A `Problem` if the file doesn't exist.
    package static func gate(_ settings: Settings) throws -> String {
        let folder = Executables.ownFolder
        let configured = settings.brokerGate.map(AbsolutePath.of)
        let places =
            configured.map { [$0] }
            ?? [
                folder.appending(gateName).string,
                folder.removingLastComponent().appending("lib/lamplighter/" + gateName).string,
            ]
        if let found = places.first(where: TextFile.exists) { return found }
        throw Problem.gateMissing(gate: gateName, folder: folder.string, place: places[0])
    }
}

/// The paths of this executable and of other programs.
package enum Executables {
    /// Returns the path of a program in PATH, /usr/sbin or /usr/local/sbin, or nil if the program isn't found there.
    package static func find(_ name: String) -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"])
            .map { $0 + "/" + name }
            .first { access($0, X_OK) == 0 }
    }

    /// The folder that contains this executable.
    package static var ownFolder: FilePath { ownPath.removingLastComponent() }

    /// The path of this executable, with symbolic links resolved.
    package static var ownPath: FilePath {
        guard let real = realpath("/proc/self/exe", nil) else { return FilePath("/") }
        defer { free(real) }
        return FilePath(String(cString: real))
    }
}
