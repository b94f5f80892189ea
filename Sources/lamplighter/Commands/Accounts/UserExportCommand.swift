import ArgumentParser
import Files
import JSON
import Problems
import Storage

/// The command `user export`, which writes everything that is stored about a user.
struct UserExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write everything that is stored about a user as one JSON document.",
        discussion: """
            lamplighter user export u-0123456789abc person.json
            lamplighter user export u-0123456789abc | jq .devices

            The document has no passwords, tokens or hashes, and no data of other people; addresses are in full. \
            Its schema is userExport in schemas/documents.schema.json. To export the devices' reports, use \
            `history export`.
            """
    )

    @Argument(help: "The user's id.")
    var uid: String

    @Argument(help: "The file to create, with mode 0600 (default: standard output).")
    var file: String?

    @OptionGroup(title: "Common options") var common: CommonOptions

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
