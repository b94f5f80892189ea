import Service

/// The operations of the interface, as `schemas/http` describes them; a test compares ids, paths
/// and roles.
enum Operations {
    static func all(
        _ context: ConsoleContext,
        _ access: Access,
        failures: FailedSignIns,
        hub: LiveHub
    ) -> [Operation] {
        SignIn(context, access, failures: failures).operations + hub.operations + [
            hub.overview.operation
        ]
            + OperatorOperations(consoleURL: context.run.consoleURL).all + AuditOperations.all
            + DeviceOperations.all + DeviceActions.all + DeviceTabs.all + ProductOperations.all
            + AppOperations.all + UserOperations.all + WorkOperations.all
            + MessageOperations.all + ProviderOperations.all + ScheduleOperations.all
            + SearchOperations.all + SystemOperations(context: context).all
    }
}
