import Files
import Glibc
import Problems
package import ServiceSettings
package import SystemPackage

/// The two files that the broker's child process needs: the program `mosquitto`, and the gate.
package enum BrokerFiles {
    private static let gateName = "libLamplighterGate.so"

    /// Returns the path of `mosquitto`: the configured path, or else the path found in PATH or in the folder where
    /// Debian installs the program.
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

    /// Returns the gate library's path: the configured path, or else a path in the executable's folder or in
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

/// The path of this executable, and the paths of other programs; the other programs are found in PATH or in two folders
/// of system programs.
package enum Executables {
    /// Searches PATH, /usr/sbin and /usr/local/sbin for a program; returns its path, or nil if it isn't found.
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
