import ArgumentParser
import Service

/// The program's command line, with all commands.
struct Lamplighter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lamplighter",
        abstract: "A self-hosted cloud for smart devices and the apps that control them.",
        discussion: """
            lamplighter up                 start everything, with a demo to try
            lamplighter doctor             find out what is wrong
            lamplighter help user erase    show how to use a command
            """,
        version: Version.text,
        subcommands: [
            UpCommand.self, ServeCommand.self, SchedulerCommand.self, FeedCommand.self,
            ProductCommand.self,
            AppCommand.self, KeyCommand.self, OAuthCommand.self, DeviceCommand.self, HistoryCommand.self,
            UserCommand.self,
            OperatorCommand.self, ConsoleCommand.self,
            SessionCommand.self, ScheduleCommand.self, EventsCommand.self, DeadLetterCommand.self,
            RefusalsCommand.self, ServiceCommand.self,
            TLSCommand.self, BackupCommand.self, RestoreCommand.self, MigrateCommand.self,
            ClusterCommand.self,
            DoctorCommand.self,
            ConfigCommand.self, ExplainCommand.self, DocsCommand.self,
            SimulateCommand.self, BenchCommand.self, VersionCommand.self,
        ]
    )
}
