package import JSON

/// A kind of device, with its data points and rules for registration and binding.
package struct Product: Sendable, Equatable {
    /// The rule that decides which devices may register: all, or only listed ones.
    package enum Registration: String, Sendable, CaseIterable {
        case open, listed
    }

    /// The party that must allow the factory reset of a bound device.
    ///
    /// With `open`, the reset of an offline device needs no permission.
    package enum Reset: String, Sendable, CaseIterable {
        case owner, open, `operator`
    }

    /// The proof of possession that a user needs to bind a device remotely.
    package enum RemoteBind: String, Sendable, CaseIterable {
        case claim, secret
    }

    /// The product's key.
    package var key: ProductKey
    /// The product's display name.
    package var name: String
    /// The rule that decides which devices may register: all, or only listed ones.
    package var registration: Registration
    /// The party that must allow the factory reset of a bound device.
    package var reset: Reset
    /// The proof of possession that a user needs to bind a device remotely.
    package var remoteBind: RemoteBind
    /// The declared attributes; if there are none, devices can have attributes of any name.
    package let dataPoints: [DataPoint]
    /// The names of the alerts that devices may raise.
    package var alerts: [String]
    /// The names of the faults that devices may raise.
    package var faults: [String]
    /// The number of days for which history is kept; if nil, the installation's setting applies.
    package var historyDays: Int?

    private let pointsByName: [String: DataPoint]

    /// Makes a product.
    package init(
        key: ProductKey,
        name: String,
        registration: Registration = .open,
        reset: Reset = .owner,
        remoteBind: RemoteBind = .claim,
        dataPoints: [DataPoint] = [],
        alerts: [String] = [],
        faults: [String] = [],
        historyDays: Int? = nil
    ) {
        self.key = key
        self.name = name
        self.registration = registration
        self.reset = reset
        self.remoteBind = remoteBind
        self.dataPoints = dataPoints
        self.alerts = alerts
        self.faults = faults
        self.historyDays = historyDays
        pointsByName = Dictionary(dataPoints.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the product accepts attributes of any name, because it declares none.
    package var isFreeForm: Bool { dataPoints.isEmpty }

    /// Returns the data point with the given name.
    package func point(_ name: String) -> DataPoint? { pointsByName[name] }

    /// Returns whether devices may raise a condition.
    ///
    /// The product must declare the condition. If a free-form product declares no conditions, devices may raise any
    /// condition.
    package func declares(_ kind: ConditionKind, _ name: String) -> Bool {
        let declared = kind == .alert ? alerts : faults
        return declared.contains(name) || (isFreeForm && declared.isEmpty)
    }

    /// Returns whether `data` contains a write-only data point, that is, one whose value is never shown.
    package func hides(_ data: JSONObject) -> Bool { data.members.contains { point($0.key)?.access == .writeOnly } }
}

/// The limits of free-form products.
package enum FreeForm {
    /// The maximum number of attributes of one device's state.
    package static let attributesMax = 256
    /// The largest state of one device, in bytes of JSON.
    package static let stateBytesMax = 32 * 1024
    /// The maximum number of alerts in one report, and of open alerts of one device.
    ///
    /// The same limit applies to faults.
    package static let conditionsMax = 64
    /// The maximum number of bytes of JSON for the names of all open alerts and faults of one device.
    package static let conditionBytesMax = 16 * 1024
    /// The longest name of an attribute, in bytes.
    package static let nameBytesMax = 128

    static func problem(withName name: String) -> String? {
        (1...nameBytesMax).contains(name.utf8.count) ? nil : "a name must have 1 to \(nameBytesMax) bytes"
    }
}
