import Files
import JSON
import Problems
import Storage

extension UserExportCommand {
    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        if let file, TextFile.exists(file) {
            throw Problem.exportExists(file: file, uid: uid)
        }
        let document = try await place.run("exportUser", ["uid": uid])
        guard let file else { return Terminal.show(.object(document)) }
        let text = Terminal.json(.object(document))
        do {
            try TextFile.write(text + "\n", to: file)
        } catch {
            throw Problem.exportUnwritable(file: file, error: "\(error)", uid: uid)
        }
        Terminal.tell("wrote \(file), \(text.utf8.count >> 10) KiB")
    }
}
