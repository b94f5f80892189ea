/// Every setting there is: reading, checking, `lamplighter config` and the reference are made from it.
///
/// To add a setting, add a row here and, where code reads it, an accessor in `Settings+Values.swift`.
package enum SettingsTable {
    /// The workers that can be chosen with `workers`.
    package static let workerNames = [
        "status", "control", "account", "session", "schedule", "scheduler",
    ]

    /// The words that `log.level` takes, the quietest first.
    package static let logLevels = [
        "none", "error", "warning", "notice", "info", "debug", "trace",
    ]

    /// All rows, in the order they are shown.
    package static let all: [Setting] =
        general + regions + mqtt + broker + http + health + delivery + gate + limits
        + operationLimits + loop + counts + deviceHistory

    private static let byKey = Dictionary(
        all.map { ($0.key, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Finds the row of a key.
    package static func setting(_ key: String) -> Setting? { byKey[key] }

    /// Returns the key nearest to a misspelt one, where one is near enough to be meant.
    package static func suggestion(for key: String) -> String? {
        Suggestion.nearest(to: key, among: all.map(\.key))
    }
}
