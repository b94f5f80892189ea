/// The backups that the service makes automatically.
extension SettingsTable {
    /// The directory, the interval, the number kept and the passphrase.
    static let backup: [Setting] = [
        Setting("backup.directory", .text, standard: .text(""))
            .effect("Directory that the service writes backups to; empty: no backups."),
        Setting("backup.every", .duration(60...2_592_000), standard: .text("1d"))
            .effect("Time between two backups."),
        NumberSetting.backupsKept.row,
        Setting("backup.passphraseFile", .text, standard: .text(""))
            .effect(
                "File with the passphrase that backups are encrypted with; empty: no encryption."
            ),
    ]
}

extension NumberSetting {
    static let backupsKept = NumberSetting(
        "backup.keep",
        standard: 14,
        in: 1...10_000,
        unit: "backups"
    )
    .effect("Backups kept; the oldest beyond that is deleted once a new one is complete.")
}
