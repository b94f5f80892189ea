import Files
import JSON
import Problems
import Storage

extension UserExportCommand {
    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        if let file, TextFile.exists(file) {
            throw Problem(
                .documentUnreadable,
                "\(file) already exists",
                at: file,
                why: "existing files are not overwritten",
                cures: [.init("lamplighter user export \(uid) FILE", "with another name")]
            )
        }
        let document = try await place.run("exportUser", ["uid": uid])
        guard let file else { return Terminal.show(.object(document)) }
        let text = Terminal.json(.object(document))
        do {
            try TextFile.write(text + "\n", to: file)
        } catch {
            throw Problem(
                .documentUnreadable,
                "\(file) cannot be written: \(error)",
                at: file,
                why: "its folder must exist and be writable by you",
                cures: [.init("lamplighter user export \(uid)", "to standard output")]
            )
        }
        Terminal.tell("wrote \(file), \(text.utf8.count >> 10) KiB")
    }
}
