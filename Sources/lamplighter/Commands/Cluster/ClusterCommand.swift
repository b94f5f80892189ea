import ArgumentParser

/// `cluster`: the processes that share a database and the work.
struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Show the processes that share the work, and drain one.",
        discussion: "lamplighter cluster status --store postgres://lamplighter@db/lamplighter",
        subcommands: [ClusterStatusCommand.self, ClusterDrainCommand.self]
    )
}
