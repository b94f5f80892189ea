/// The operations on an installation; a test compares them with `schemas/http`.
///
/// The console serves all operations. Each command runs the operation that it names.
package enum Operations {
    /// All operations except those for signing in, for the overview and for the stream of events.
    package static let all: [Operation] =
        OperatorOperations.all + AuditOperations.all + DeviceOperations.all + DeviceActions.all + DeviceTabs.all
        + ProductOperations.all + AppOperations.all + KeyOperations.all + OAuthOperations.all + UserOperations.all
        + WorkOperations.all
        + MessageOperations.all + ProviderOperations.all + ScheduleOperations.all + EventOperations.all
        + SearchOperations.all + SystemOperations.all

    private static let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    /// Returns the operation with the given id; the operation must exist.
    package static func named(_ id: String) -> Operation {
        guard let operation = byID[id] else { preconditionFailure("there is no operation \(id)") }
        return operation
    }
}
