package import Domain

/// A setting whose value is a whole number; most set one of the workers' limits.
///
/// Code reads a setting through a constant of this type, so a misspelled name doesn't compile.
struct NumberSetting: Sendable {
    /// The setting's row of the table.
    private(set) var row: Setting
    /// The function that writes the value into its limit; nil for a number that other code reads.
    let set: (@Sendable (Int, inout Limits) -> Void)?

    /// Describes a number that other code reads.
    init(
        _ key: String,
        standard: Int,
        in bounds: ClosedRange<Int>,
        unit: String
    ) {
        row = Setting(key, .integer(bounds), standard: .integer(standard), unit: unit)
        set = nil
    }

    /// Describes a number that sets a limit, with the default in `Limits`.
    ///
    /// One of the setting's units is `factor` of the limit's, such as 86,400 seconds in a day.
    init<Number: FixedWidthInteger & SendableMetatype>(
        _ key: String,
        sets limit: any WritableKeyPath<Limits, Number> & Sendable,
        times factor: Int = 1,
        in bounds: ClosedRange<Int> = 1...100_000_000,
        unit: String
    ) {
        row = Setting(
            key,
            .integer(bounds),
            standard: .integer(Int(Limits()[keyPath: limit]) / factor),
            unit: unit
        )
        set = { value, limits in limits[keyPath: limit] = Number(clamping: value * factor) }
    }

    /// Describes a number that sets a time, in milliseconds or seconds.
    init(
        _ key: String,
        sets limit: any WritableKeyPath<Limits, Duration> & Sendable,
        in bounds: ClosedRange<Int>,
        unit: TimeUnit
    ) {
        row = Setting(
            key,
            .integer(bounds),
            standard: .integer(Int(Limits()[keyPath: limit] / unit.length)),
            unit: unit.rawValue
        )
        set = { value, limits in limits[keyPath: limit] = unit.length * value }
    }

    /// Returns the setting with the sentence about its effect.
    func effect(_ doc: String) -> Self {
        var setting = self
        setting.row = row.effect(doc)
        return setting
    }

    /// A unit of a setting that is a time.
    enum TimeUnit: String, Sendable {
        case milliseconds = "ms"
        case seconds = "s"

        /// The unit's length.
        var length: Duration {
            switch self {
            case .milliseconds: .milliseconds(1)
            case .seconds: .seconds(1)
            }
        }
    }
}

extension Settings {
    /// Returns the value of a number.
    func number(_ setting: NumberSetting) -> Int { integer(setting.row.key) }
}

extension Limits {
    /// Creates the limits that settings define.
    package init(_ settings: Settings) {
        self.init()
        for setting in SettingsTable.numbers { setting.set?(settings.number(setting), &self) }
        // A message isn't claimed while another attempt to send it can still be under way.
        messageLease = max(messageLease, Int64(settings.number(.smtpTimeout)) * 2 + 30)
    }
}
