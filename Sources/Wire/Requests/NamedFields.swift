package import Domain

/// The ids of the objects of a method, each required.
extension Fields {
    /// Returns `did`.
    package func did() throws(Rejection) -> DeviceID { try requiredID("did", as: DeviceID.self) }

    /// Whether there is a `did`.
    package var namesDevice: Bool { has("did") }

    /// Returns `uid`.
    package func uid() throws(Rejection) -> UserID { try requiredID("uid", as: UserID.self) }

    /// Returns `homeId`.
    package func homeID() throws(Rejection) -> HomeID {
        try requiredID("homeId", as: HomeID.self)
    }

    /// Returns `scheduleId`.
    package func scheduleID() throws(Rejection) -> ScheduleID {
        try requiredID("scheduleId", as: ScheduleID.self)
    }

    /// Returns `sharingId`.
    package func sharingID() throws(Rejection) -> SharingID {
        try requiredID("sharingId", as: SharingID.self)
    }

    /// Returns `terminalId`.
    package func terminalID() throws(Rejection) -> TerminalID {
        try requiredID("terminalId", as: TerminalID.self)
    }
}
