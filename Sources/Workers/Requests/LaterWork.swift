import Domain

/// Methods that the contract names and that this version does not carry out yet.
enum LaterWork {
    private static let names: Set<String> = [
        "device/bindRemote", "device/setCustomInfo", "device/hardware",
        "device/users",
        "device/removeUser", "device/allowReset",
        "share/invite", "share/list", "share/answer", "share/revoke", "share/transfer",
        "schedule/create", "schedule/list", "schedule/update", "schedule/delete",
        "schedule/enable", "schedule/disable", "schedule/runs",
        "home/list", "home/create", "home/rename", "home/delete", "home/addDevice",
        "home/removeDevice",
    ]

    /// What answers a method that nobody carries out: `Unavailable` for the contract's own,
    /// `InvalidRequest` for everything else.
    static func method(_ name: String) -> Method {
        let rejection =
            names.contains(name)
            ? Rejection(.unavailable, "\(name) comes with a later version of the service.")
            : Rejection(.invalidRequest, "There is no method \(shortened(name)).")
        return Method(needsToken: false, isReading: true) { _ in throw rejection }
    }

    private static func shortened(_ name: String) -> String {
        name.count <= 64 ? name : "\(name.prefix(64))…"
    }
}
