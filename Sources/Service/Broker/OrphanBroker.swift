package import Files
import Glibc

/// A broker that is still running on the data directory of a service that was killed.
package enum OrphanBroker {
    /// Ends the broker of a killed service: a Mosquitto with this directory's configuration file.
    ///
    /// The caller holds the directory's lock, so no running service owns this broker.
    /// - Returns: The ended broker's pid, or nil if no such broker was running.
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

    /// Returns the pid of the broker running with the directory's configuration file, or nil.
    package static func find(in directory: DataDirectory) -> Int32? {
        let noted = TextFile.read(directory.brokerPID).flatMap {
            Int32($0.prefix { $0.isNumber })
        }
        if let noted, isOurs(noted, directory) { return noted }
        // The service can be killed before the broker has written its pid file. If the file doesn't contain the
        // broker's pid, all processes are searched.
        return ProcessTable.pids.first { isOurs($0, directory) }
    }

    private static func isOurs(_ pid: Int32, _ directory: DataDirectory) -> Bool {
        let command = ProcessTable.command(of: pid)
        return command.first?.hasSuffix("mosquitto") == true && command.contains(directory.brokerConfiguration)
            && seesOurFiles(pid)
    }

    /// Returns whether a process sees the same file systems as this one.
    ///
    /// If containers share process ids, this process also sees the processes of other containers. A broker in another
    /// container can have a data directory with the same path.
    private static func seesOurFiles(_ pid: Int32) -> Bool {
        let (own, other) = (files(of: "self"), files(of: "\(pid)"))
        return own == nil || other == nil || own == other
    }

    private static func files(of process: String) -> [CChar]? {
        var name = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/\(process)/ns/mnt", &name, name.count)
        return length > 0 ? Array(name.prefix(length)) : nil
    }
}
