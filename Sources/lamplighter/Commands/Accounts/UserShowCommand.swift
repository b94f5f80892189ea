import ArgumentParser
import Domain
import JSON
import Storage

/// `user show`: one user with sessions and devices.
struct UserShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one user: names, sessions, devices; addresses are masked.",
        discussion: "lamplighter user show u-0123456789abc"
    )

    @Argument(help: "The user's id.")
    var uid: String

    @Flag(help: "Show e-mail addresses and phone numbers in full.")
    var addresses = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let user = try place.user(uid)
        let (sessions, devices, names, deletesAt) = try place.store.read { tx in
            let rows = try tx.bindings.page(of: user.uid, products: nil, offset: 0, limit: 1000)
                .rows
            return (
                try tx.sessions.live(of: user.uid), rows,
                try tx.devices.names(of: rows.map(\.binding.did)),
                try tx.cancellations.find(user.uid)?.deletesAt
            )
        }
        var view = UserView.json(user, isOpen: addresses)
        if output.json {
            view["deletesAt"] = deletesAt.map { .integer($0.milliseconds) } ?? .null
            view["sessions"] = .array(sessions.map(UserView.json))
            view["devices"] = .array(
                devices.map {
                    .object([
                        "did": .string($0.binding.did.text),
                        "name": names[$0.binding.did].map { .string($0) },
                        "role": .string($0.binding.role.rawValue),
                    ])
                }
            )
            return Terminal.show(.object(view))
        }
        let name = PlainText.of(UserView.name(user, isOpen: addresses))
        print("\(user.uid)  app \(user.app)  \(name)")
        let email = PlainText.of(UserView.shown(user.email?.text, isOpen: addresses))
        let phone = PlainText.of(UserView.shown(user.phone?.text, isOpen: addresses))
        print(
            "e-mail \(email)\(user.isEmailVerified ? " (verified)" : "")"
                + "   phone \(phone)\(user.isPhoneVerified ? " (verified)" : "")"
                + "   since \(TimeText.of(user.createdAt))"
        )
        if let deletesAt { print("cancelled: will be erased at \(TimeText.of(deletesAt))") }
        print("\n" + UserView.table(sessions))
        var table = TextTable(["DEVICE", "ROLE"])
        for row in devices {
            let did = row.binding.did
            table.add([DeviceView.text(did, names[did]), row.binding.role.rawValue])
        }
        print("\n" + table.text)
    }
}
