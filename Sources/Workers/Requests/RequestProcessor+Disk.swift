import Domain

/// The handling of requests while the disk has too little space.
extension RequestProcessor {
    /// The methods that are carried out even while disk space is low.
    ///
    /// These methods serve to end sessions, which protects users and frees disk space.
    private static let protecting: Set<String> = [
        "account/logout", "account/changePassword", "account/resetPassword", "session/logoutCode", "session/terminate",
        "session/terminateOthers", "session/unlink",
    ]

    /// While disk space is low, throws `Unavailable` for a request that would write.
    func checkDisk(_ request: String, isReading: Bool) throws(Rejection) {
        guard environment.disk.isLow, !isReading, !Self.protecting.contains(request) else { return }
        throw Rejection(.unavailable, "The service has no space on its disk; try again later.", retryAfter: 60)
    }
}
