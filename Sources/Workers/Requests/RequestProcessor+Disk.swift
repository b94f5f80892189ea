import Domain

/// The handling of requests while the disk has too little space.
extension RequestProcessor {
    /// The methods that end sessions.
    ///
    /// These methods are carried out as long as the disk accepts writes, since they protect users and free space.
    private static let protecting: Set<String> = [
        "account/logout", "account/changePassword", "account/resetPassword", "session/logoutCode", "session/terminate",
        "session/terminateOthers",
    ]

    /// Refuses a request that would write while the disk has too little space.
    ///
    /// - Throws: `Unavailable`, which means that the request had no effect.
    func checkDisk(_ request: String, isReading: Bool) throws(Rejection) {
        guard environment.disk.isLow, !isReading, !Self.protecting.contains(request) else {
            return
        }
        throw Rejection(
            .unavailable,
            "The service has no space on its disk; try again later.",
            retryAfter: 60
        )
    }
}
