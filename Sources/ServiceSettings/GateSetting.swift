import Metering

/// A setting that `up` writes into the broker's configuration as an option of the gate, with the
/// gate's own default.
package struct GateSetting: Sendable {
    /// The option.
    let option: GateOption
    /// The setting's row of the table.
    package private(set) var row: Setting
    /// The number of the option's units in one of the setting's: 1,024 bytes in a KiB.
    let factor: Int

    init(
        _ option: GateOption,
        key: String,
        times factor: Int = 1,
        in bounds: ClosedRange<Int>,
        unit: String
    ) {
        self.option = option
        self.factor = factor
        row = Setting(
            key,
            .integer(bounds),
            standard: .integer(GateLimits()[keyPath: option.limit] / factor),
            unit: unit
        )
    }

    /// Returns the setting with the sentence about its effect.
    func effect(_ doc: String) -> Self {
        var setting = self
        setting.row = row.effect(doc)
        return setting
    }

    /// The setting for new client ids, which belongs to the broker's settings.
    static let newClients = GateSetting(
        .newClientsPerMinute,
        key: "broker.newClientsPerMinute",
        in: 0...1_000_000,
        unit: "1/min"
    )
    .effect(
        "New client ids of apps and products that the gate admits from one source address; 0: any number."
    )

    /// Returns the gate's lines of the broker's configuration.
    package static func lines(_ settings: Settings) -> [String] {
        ([newClients] + SettingsTable.gate).map { setting in
            let number = settings.integer(setting.row.key) * setting.factor
            return "plugin_opt_\(setting.option.rawValue) \(number)"
        } + ["plugin_opt_\(GateOption.heldBytes.rawValue) \(settings.brokerHeldBytes)"]
    }
}
