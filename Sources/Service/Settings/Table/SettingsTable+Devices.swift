/// The bounds of one device's stored data.
extension SettingsTable {
    /// The bounds of a device's history.
    static let deviceHistory: [Setting] = [
        Setting(
            "limits.historyMegabytesPerDay",
            .integer(0...1_048_576),
            .integer(64),
            unit: "MiB",
            "History one device may write in a day; beyond it only its state is kept. 0: no bound."
        )
    ]
}
