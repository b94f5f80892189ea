/// One attack of `bench abuse`.
package struct AbuseAttack: Sendable {
    /// Its name; `--attack` takes a prefix of it.
    package let name: String
    let title: String
    let deed: HostileDeed
    var connections = 1
    /// Source addresses; with several each connection has its own.
    var addresses = 1
    /// Messages a second of each connection; 0 for as many as possible.
    var rate = 0.0
    /// Whether it comes as terminals with sessions, known to the service before.
    var isKnown = false
    /// Settings that switch off the limits against it: with them it must do harm.
    var control: [String] = []
    /// The reason, as a sentence, where there is no control: no setting stops the attack, or it is harmless
    /// even without limits.
    var whyNoControl: String?
    /// Whether it belongs to the short form.
    var isShort = true
}

extension AbuseAttack {
    /// All attacks, in the order of the findings they come from.
    package static let all: [AbuseAttack] = [
        AbuseAttack(
            name: "A1",
            title: "filters of 150 levels",
            deed: .deepFilters,
            control: terminalOff
        ),
        AbuseAttack(
            name: "A1-flat",
            title: "very many filters",
            deed: .flatFilters,
            control: terminalOff,
            isShort: false
        ),
        AbuseAttack(
            name: "A2",
            title: "whoami without login, QoS 0",
            deed: .whoami,
            control: terminalOff
        ),
        AbuseAttack(
            name: "A2-confirmed",
            title: "the same with QoS 1",
            deed: .confirmed,
            control: terminalOff,
            isShort: false
        ),
        AbuseAttack(
            name: "A2-exactly",
            title: "the same with QoS 2",
            deed: .exactly,
            control: terminalOff,
            isShort: false
        ),
        AbuseAttack(
            name: "A2-unknown",
            title: "methods that don't exist",
            deed: .unknownMethod,
            control: terminalOff,
            isShort: false
        ),
        AbuseAttack(
            name: "A2-loop",
            title: "2000 requests under way",
            deed: .closedLoop,
            whyNoControl: takesTurns
        ),
        AbuseAttack(
            name: "A3",
            title: "60 KB of Correlation Data",
            deed: .correlation,
            control: terminalOff
        ),
        AbuseAttack(
            name: "A4",
            title: "codes to made-up numbers",
            deed: .codes,
            control: terminalOff + countsOff
        ),
        AbuseAttack(
            name: "A4-users",
            title: "anonymous users without end",
            deed: .anonymous,
            control: terminalOff + countsOff
        ),
        AbuseAttack(
            name: "A5",
            title: "400 passwords to hash under way",
            deed: .hashes,
            whyNoControl: takesTurns
        ),
        AbuseAttack(
            name: "A6",
            title: "one device's 53 KB of binary",
            deed: .binary,
            control: deviceOff
        ),
        AbuseAttack(
            name: "A7",
            title: "devices by the product's secret",
            deed: .registrations,
            connections: 16,
            control: productOff
        ),
        AbuseAttack(
            name: "crowd",
            title: "200 terminals from one address",
            deed: .whoami,
            connections: 200,
            isKnown: true,
            control: terminalOff
        ),
        AbuseAttack(
            name: "spread",
            title: "1000 addresses, 1/s each",
            deed: .confirmed,
            connections: 1000,
            addresses: 1000,
            rate: 1,
            whyNoControl: keepsToLimits
        ),
        AbuseAttack(
            name: "X-connects",
            title: "connects without a pause",
            deed: .connects,
            connections: 16,
            whyNoControl: connectsOnly,
            isShort: false
        ),
        AbuseAttack(
            name: "X-returns",
            title: "a burst, and back as the same",
            deed: .returns,
            connections: 4,
            control: terminalOff + pauseOff,
            isShort: false
        ),
        AbuseAttack(
            name: "X-wills",
            title: "wills of 60 KB",
            deed: .wills,
            connections: 16,
            whyNoControl: connectsOnly,
            isShort: false
        ),
        AbuseAttack(
            name: "X-halves",
            title: "400 half packets",
            deed: .halves,
            connections: 400,
            whyNoControl: connectsOnly,
            isShort: false
        ),
        AbuseAttack(
            name: "X-forbidden",
            title: "topics of others",
            deed: .forbidden,
            whyNoControl: brokerOnly,
            isShort: false
        ),
        AbuseAttack(
            name: "X-pings",
            title: "pings",
            deed: .pings,
            whyNoControl: brokerOnly,
            isShort: false
        ),
        AbuseAttack(
            name: "X-unsubscribes",
            title: "filters it never had",
            deed: .unsubscribes,
            whyNoControl: brokerOnly,
            isShort: false
        ),
        AbuseAttack(
            name: "X-bundles",
            title: "one device's bundles of 500",
            deed: .bundles,
            control: deviceOff,
            isShort: false
        ),
        AbuseAttack(
            name: "X-reports",
            title: "one device's reports, QoS 0",
            deed: .hastyReports,
            control: deviceOff,
            isShort: false
        ),
    ]

    /// Returns the attacks whose names begin with a prefix; all of the short or the long form for an empty one.
    package static func named(_ name: String, isShort: Bool) -> [AbuseAttack] {
        all.filter { $0.name.hasPrefix(name) && (!isShort || $0.isShort) }
    }
}
