package import Files
import Glibc

/// A broker that a killed service left behind on the same directory.
package enum OrphanBroker {
    /// Ends the orphan, if there is one: a process with the pid in our file and our configuration in its
    /// command.
    ///
    /// Called with the directory's lock held, so it can't be the child of a living service.
    /// - Returns: The pid of the broker that was ended.
    @discardableResult
    package static func end(in directory: DataDirectory) async -> Int32? {
        guard let pid = find(in: directory) else { return nil }
        kill(pid, SIGTERM)
        let clock = ContinuousClock()
        let deadline = clock.now + ServiceLimits.orphanEndMax
        while isOurs(pid, directory) {
            if clock.now > deadline { kill(pid, SIGKILL) }
            try? await clock.sleep(for: .milliseconds(20))
        }
        unlink(directory.brokerPID)
        return pid
    }

    /// Returns the pid of a broker that runs with the directory's configuration.
    package static func find(in directory: DataDirectory) -> Int32? {
        let noted = TextFile.read(directory.brokerPID).flatMap {
            Int32($0.prefix { $0.isNumber })
        }
        if let noted, isOurs(noted, directory) { return noted }
        // Killed between the start of the broker and its writing of the pid file.
        return ProcessTable.pids.first { isOurs($0, directory) }
    }

    private static func isOurs(_ pid: Int32, _ directory: DataDirectory) -> Bool {
        let command = ProcessTable.command(of: pid)
        return command.first?.hasSuffix("mosquitto") == true
            && command.contains(directory.brokerConfiguration) && seesOurFiles(pid)
    }

    /// Tells whether a process has our file systems.
    ///
    /// A container that shares its process ids with others may have another
    /// service's broker on a directory of the same name.
    private static func seesOurFiles(_ pid: Int32) -> Bool {
        let (own, other) = (files(of: "self"), files(of: "\(pid)"))
        return own == nil || other == nil || own == other
    }

    /// Returns the name of a process's view of the file systems; nil where it can't be read.
    private static func files(of process: String) -> [CChar]? {
        var name = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/\(process)/ns/mnt", &name, name.count)
        return length > 0 ? Array(name.prefix(length)) : nil
    }
}
