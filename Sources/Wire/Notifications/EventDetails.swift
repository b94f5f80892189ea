package import Domain
import JSON

/// A reader of an event's data, with a property for each value that the service needs for notifications.
package struct EventDetails {
    private let data: JSONObject

    /// Reads the data of an entry of the event log.
    package init(_ event: LoggedEvent) { data = (try? JSONValue.parse(event.data))?.objectValue ?? [:] }

    private func text(_ name: String) -> String? { data[name]?.stringValue }

    /// The name of an alert or fault, or the id of a run's schedule.
    package var name: String { text("name") ?? "" }
    /// The value of an alert or fault as text.
    package var value: String? { data["value"].map { $0.stringValue ?? String(decoding: $0.encoded(), as: UTF8.self) } }
    /// The state of a schedule's run.
    package var runState: String? { data["value"]?.objectValue?["state"]?.stringValue }
    /// The reason why a binding ended.
    package var reason: String { text("reason") ?? "" }
    /// A user's new role for a device.
    package var role: Binding.Role? { text("role").flatMap(Binding.Role.init(rawValue:)) }
    /// The invitation, and its state.
    package var sharing: (id: SharingID, status: Sharing.Status)? {
        guard let id = text("sharingId"), let status = text("status").flatMap(Sharing.Status.init(rawValue:)) else {
            return nil
        }
        return (SharingID(trusted: id), status)
    }
    /// The part of an account that was changed.
    package var changed: String? { text("changed") }
    /// The terminal of a session.
    package var terminal: TerminalID? { text("terminalId").map { TerminalID(trusted: $0) } }
    /// The system or platform of a terminal, or empty if the app gave neither.
    package var system: String { [text("os"), text("platform")].lazy.compactMap(\.self).first { !$0.isEmpty } ?? "" }

    /// A message from the maker: the kind of notification, the text, and data for the app.
    package var message: (kind: Notification.Kind, text: NotificationText, data: Answer) {
        (
            text("kind").flatMap(Notification.Kind.init(rawValue:)) ?? .system,
            NotificationText(title: text("title") ?? "", text: text("text") ?? ""), data["data"]?.objectValue ?? [:]
        )
    }

    /// Returns notification data that consists of a single id.
    package static func data(_ name: String, _ id: String) -> Answer { [name: .string(id)] }
}
