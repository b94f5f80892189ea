import Domain

/// The handling of requests while the disk has too little space.
extension RequestProcessor {
    /// The methods that end sessions or give a code for ending sessions; they are never refused here, because they
    /// protect users and make space on the disk.
    private static let protecting: Set<String> = [
        "account/logout", "account/changePassword", "account/resetPassword", "session/logoutCode", "session/terminate",
        "session/terminateOthers", "session/unlink",
    ]

    /// While disk space is low, refuses requests that would write; throws `Unavailable` before the request has any
    /// effect.
    func checkDisk(_ request: String, isReading: Bool) throws(Rejection) {
        guard environment.disk.isLow, !isReading, !Self.protecting.contains(request) else { return }
        throw Rejection(.unavailable, "The service has no space on its disk; try again later.", retryAfter: 60)
    }
}
