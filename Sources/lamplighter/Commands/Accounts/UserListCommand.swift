import ArgumentParser
import Domain
import JSON
import Storage

/// `user list`: users in the order of their ids.
struct UserListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the users, in the order of their ids; addresses are masked.",
        discussion: "lamplighter user list --app demo"
    )

    @Option(help: "Only users of one app.")
    var app: String?

    @OptionGroup var most: LimitOption

    @Option(help: "Only ids after this one, the last of the previous page.")
    var after = ""

    @Flag(help: "Show e-mail addresses and phone numbers in full.")
    var addresses = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let users = try place.store.read { tx in
            try tx.accounts.page(after: after, app: app, limit: most.limit)
        }
        if output.json {
            return Terminal.show(
                .array(users.map { .object(UserView.json($0, isOpen: addresses)) })
            )
        }
        var table = TextTable(["USER", "APP", "NAME", "E-MAIL", "PHONE", "SINCE"])
        for user in users {
            table.add([
                user.uid.text, user.app.text, UserView.name(user, isOpen: addresses),
                UserView.shown(user.email?.text, isOpen: addresses),
                UserView.shown(user.phone?.text, isOpen: addresses),
                TimeText.of(user.createdAt),
            ])
        }
        print(table.text)
        if users.count == most.limit, let last = users.last {
            Terminal.tell("there may be more; next page: --after \(last.uid)")
        }
    }
}

/// A user as the command line shows it.
enum UserView {
    /// Returns the user as JSON, without anything secret.
    static func json(_ user: User, isOpen: Bool) -> JSONObject {
        [
            "uid": .string(user.uid.text), "appId": .string(user.app.text),
            "region": .string(user.region), "countryCode": .string(user.countryCode),
            "anonymous": .bool(user.isAnonymous),
            "name": .string(name(user, isOpen: isOpen)),
            "email": user.email.map { .string(shown($0.text, isOpen: isOpen)) },
            "emailVerified": .bool(user.isEmailVerified),
            "phone": user.phone.map { .string(shown($0.text, isOpen: isOpen)) },
            "phoneVerified": .bool(user.isPhoneVerified),
            "password": .bool(user.passwordHash != nil),
            "providers": .array(user.providers.map(JSONValue.string)),
            "createdAt": .integer(user.createdAt.milliseconds),
        ]
    }

    /// Returns the user's name to show; a name that is an address is masked like an address.
    static func name(_ user: User, isOpen: Bool) -> String {
        if user.isAnonymous { return "(anonymous)" }
        guard let name = user.username ?? user.externalUID else { return "-" }
        return name.contains("@") || Phone.isLike(name) ? shown(name, isOpen: isOpen) : name
    }

    /// Returns an address to show, masked unless `isOpen`.
    static func shown(_ address: String?, isOpen: Bool) -> String {
        guard let address else { return "-" }
        return isOpen ? address : MaskedAddress.text(address)
    }

    /// Returns a session as JSON.
    static func json(_ session: Session) -> JSONValue {
        .object([
            "sessionId": .string(session.id.text), "uid": .string(session.uid.text),
            "appId": .string(session.app.text),
            "terminalId": .string(session.terminal.text),
            "platform": .string(session.platform), "os": .string(session.os),
            "name": .string(session.name),
            "loginTime": .integer(session.loginTime.milliseconds),
            "lastSeenAt": .integer((session.lastSeenAt ?? session.loginTime).milliseconds),
            "expiresAt": .integer(session.expiresAt.milliseconds),
        ])
    }

    /// Returns sessions as a table.
    static func table(_ sessions: [Session]) -> String {
        var table = TextTable(["SESSION", "USER", "TERMINAL", "PLATFORM", "LAST SEEN", "UNTIL"])
        for session in sessions {
            table.add([
                session.id.text, session.uid.text, session.terminal.text,
                [session.platform, session.os, session.name].filter { !$0.isEmpty }
                    .joined(separator: ", "),
                TimeText.of(session.lastSeenAt ?? session.loginTime),
                TimeText.of(session.expiresAt),
            ])
        }
        return table.text
    }
}

extension CommandContext {
    /// Finds a user by id.
    func user(_ uid: String) throws -> User {
        try find("user", uid, why: "no user with that id has registered, or it was erased") {
            try $1.accounts.find($0)
        }
    }
}
