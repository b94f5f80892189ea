import Files
import Glibc

/// The program that listens on a port, according to `/proc`.
struct PortHolder {
    let pid: Int32
    let name: String
    /// Whether systemd started the program as a service.
    let isSystemService: Bool

    /// Returns the program that listens on a port, or nil if it can't be found.
    static func find(_ port: Int) -> PortHolder? {
        let inodes = listeners(on: port)
        guard !inodes.isEmpty else { return nil }
        for pid in ProcessTable.pids where ProcessTable.sockets(of: pid).contains(where: inodes.contains) {
            let isService = TextFile.read("/proc/\(pid)/cgroup")?.contains(".service") ?? false
            let name = ProcessTable.name(of: pid) ?? "another program"
            return PortHolder(pid: pid, name: name, isSystemService: isService)
        }
        return nil
    }

    private static func listeners(on port: Int) -> Set<String> {
        var inodes: Set<String> = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in (TextFile.read(table) ?? "").split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ")
                // Field 2 is the local address, field 4 is the state (0A is LISTEN), and field 10 is the inode.
                guard fields.count > 9, fields[3] == "0A", let hex = fields[1].split(separator: ":").last,
                    Int(hex, radix: 16) == port
                else { continue }
                inodes.insert(String(fields[9]))
            }
        }
        return inodes
    }
}

/// The processes listed in `/proc`.
enum ProcessTable {
    /// The ids of all processes.
    static var pids: [Int32] { entries("/proc").compactMap { Int32($0) } }

    /// Returns the short name of a process.
    static func name(of pid: Int32) -> String? {
        TextFile.read("/proc/\(pid)/comm").map { $0.filter { !$0.isNewline } }
    }

    /// Returns the words of the command with which a process was started.
    static func command(of pid: Int32) -> [String] {
        (TextFile.readBytes("/proc/\(pid)/cmdline") ?? [])
            .split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the inodes of a process's sockets, or an empty list for another user's process.
    static func sockets(of pid: Int32) -> [String] {
        let folder = "/proc/\(pid)/fd"
        return entries(folder).compactMap { name in
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = buffer.withUnsafeMutableBytes { raw -> Int in
                guard let start = raw.bindMemory(to: CChar.self).baseAddress else { return 0 }
                return readlink(folder + "/" + name, start, raw.count)
            }
            guard count > 9 else { return nil }
            let link = String(decoding: buffer[..<count], as: UTF8.self)
            return link.hasPrefix("socket:[") ? String(link.dropFirst(8).dropLast()) : nil
        }
    }

    private static func entries(_ folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }
}
