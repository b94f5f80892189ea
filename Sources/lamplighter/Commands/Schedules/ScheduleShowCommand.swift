import ArgumentParser
import JSON

/// `schedule show`: one schedule with its latest runs.
struct ScheduleShowCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one schedule and its latest runs.",
        discussion: "lamplighter schedule show s-0a1b2c3d4e5ff"
    )
    static let operation = "showSchedule"

    @Argument(help: "The schedule's id.")
    var id: String

    @OptionGroup(title: "Common options") var common: CommonOptions

    var path: [String: String] { ["scheduleId": id] }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let row = answer.object("schedule")
        print("\(id)  device \(row.named("did", "deviceName"))  by \(row.text("creator"))")
        Terminal.show(
            plain: "\(row.days) at \(row.text("time"))   \(row.text("timezone"))"
                + "   misfire \(row.text("misfire"))"
        )
        print(row["enabled"]?.boolValue == true ? "next \(row.moment("nextAt"))" : "disabled")
        print("sets \(row.text("attrs"))")
        if row["remark"] != nil { Terminal.show(plain: "remark \(row.text("remark"))") }
        print("")
        Terminal.show(
            answer.objects("runs"),
            [
                .moment("DUE", "dueAt"), .moment("TAKEN UP", "firedAt"), Column("STATE", "state"),
                Column("COMMAND", "cid"),
                Column("ERROR") { $0.text($0["error"] == nil ? "code" : "error") },
            ]
        )
    }
}
