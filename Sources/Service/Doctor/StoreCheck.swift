import Files
import PostgreSQL
import Problems
import Storage

/// The check that the store can be opened, and has the settings on which durability depends.
struct StoreCheck {
    let directory: DataDirectory
    let place: StorePlace
    /// The service's own store, or nil if the check must open the store.
    var store: Store?

    private var subject: String { place.database?.place ?? directory.database }

    private func sizes(_ size: Store.FileSize) -> [FindingText] {
        let free: FindingText = "\(size.bytes >> 20) MiB, \(size.freeBytes >> 20) of them free"
        guard place.database == nil else { return ["\(size.bytes >> 20) MiB"] }
        guard !size.isShrinkable else { return [free] }
        return [free, "the file can't shrink: stop the service and run lamplighter migrate --compact"]
    }

    func run() -> Finding {
        let check = Check(.doctorStore, "the store opens, with the settings it needs")
        do {
            let store = try store ?? StoreAccess.tool(directory, place)
            let settings = try store.settings()
            let (devices, letters) = try store.read { tx in (try tx.devices.count(), try tx.deadLetters.count()) }
            let shown =
                sizes(try store.fileSize()) + settings.map { FindingText(verbatim: "\($0.name) \($0.value)") } + [
                    "\(devices) devices", "\(letters) dead letters",
                ]
            return check(.pass, subject, found: FindingText(joining: shown, by: ", "))
        } catch let problem as Problem {
            let cure = problem.cures.first
            return check(.fail, subject, found: FindingText(verbatim: problem.why))
                .cured(by: FindingText(verbatim: cure?.title ?? ""), cure?.command)
        } catch {
            return check(.fail, subject, found: FindingText(verbatim: "\(error)"))
                .cured(by: "check the disk; restore a backup if the file is damaged")
        }
    }
}
