import Domain
import Foundation

/// The system's time zone data.
enum ZoneFiles {
    /// The folder of time zone data: `TZDIR`, or else the system's folder.
    private static let folder =
        ProcessInfo.processInfo.environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/share/zoneinfo"
    /// The files in the folder that aren't time zones themselves.
    private static let others: Set<String> = ["localtime", "posixrules", "Factory"]
    private static let bytesMax = 1 << 16

    /// Returns a time zone's data by its IANA name, or nil if the name is unknown.
    static func data(of name: String) -> [UInt8]? {
        guard isName(name), let data = FileManager.default.contents(atPath: folder + "/" + name), data.count <= bytesMax
        else { return nil }
        let bytes = Array(data)
        return ZoneRules(file: bytes) == nil ? nil : bytes
    }

    /// Returns whether a name may be looked up.
    ///
    /// Files outside the folder and zones with leap seconds may not be looked up.
    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 64 && !others.contains(name)
            && !["right/", "posix/", "/"].contains { name.utf8.starts(with: $0.utf8) }
            && name.utf8.last != UInt8(ascii: "/")
            && name.utf8.allSatisfy { byte in
                PlainForm.accepts(String(decoding: [byte], as: UTF8.self).utf8) || byte == UInt8(ascii: "/")
                    || byte == UInt8(ascii: "+")
            }
    }
}

/// The known time zones.
enum TimeZones {
    /// Returns whether a time zone has this name.
    static func contains(_ name: String) -> Bool { name == "UTC" || ZoneFiles.data(of: name) != nil }
}
