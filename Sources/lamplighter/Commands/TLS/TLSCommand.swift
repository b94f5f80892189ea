import ArgumentParser

/// The commands `tls …` about the certificates for connections from other machines.
struct TLSCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tls",
        abstract: "Make and show the certificates for devices and apps that connect from elsewhere.",
        discussion: """
            lamplighter tls init --name lamps.example.com
            lamplighter tls show
            """,
        subcommands: [TLSInitCommand.self, TLSShowCommand.self]
    )
}
