import Files
import JSON
import Problems
import ServiceSettings

/// The check that a service is running on the data directory and accepts work.
struct ServiceCheck {
    let directory: DataDirectory
    let settings: Settings
    /// The longest wait for the service's answer.
    let patience: Duration

    func run() -> Finding {
        let check = Check(.doctorService, "a service runs and accepts work")
        guard let pid = DirectoryLock.holder(of: directory) else {
            return check(.fail, directory.path, found: "no process holds the service's lock")
                .cured(by: "start the service", "lamplighter up --data '\(directory.path)'")
        }
        guard let port = HealthPort.port(of: directory) else {
            return check(.fail, "pid \(pid)", found: "the service is not ready yet: there is no ready.json")
                .cured(by: "see the service's log, which is its standard error")
        }
        guard let answer = HealthPort.read("/readyz", of: directory, settings, within: patience) else {
            return check(.fail, "pid \(pid)", found: "the service does not answer on health port \(port)")
                .cured(by: "see the service's log; restart the service if it hangs")
        }
        let waiting = waitingParts(answer)
        return waiting.isEmpty
            ? check(.pass, "pid \(pid)", found: "all parts accept work")
            : check(.fail, "pid \(pid)", found: FindingText(joining: waiting, by: "; "))
                .cured(by: "the service retries automatically; the reason names the missing part")
    }

    private func waitingParts(_ body: [UInt8]) -> [FindingText] {
        guard let object = try? JSONValue.parse(body).objectValue else { return ["no answer"] }
        return (object["parts"]?.arrayValue ?? []).compactMap { part in
            guard let part = part.objectValue, part["ready"]?.boolValue == false else { return nil }
            return "\(part["name"]?.stringValue ?? "?"): \(part["reason"]?.stringValue ?? "?")"
        }
    }
}
