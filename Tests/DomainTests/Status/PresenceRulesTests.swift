import Testing

@testable import Domain

@Suite("Presence of a device")
struct PresenceRulesTests {
    /// The device states that the rules distinguish.
    ///
    /// In all states except `unseen`, the newest known connection has the number 5.
    enum State: String, CaseIterable, Sendable {
        /// The device has never connected to the broker.
        case unseen
        /// The gate reports a connection, and the birth message names the session `now`.
        case alive
        /// The gate has reported the end of the connection.
        case gone
        /// The device's birth message says that it is online, but the gate has reported no connection.
        case saidHere
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var state: State
        var signal: PresenceSignal
        /// Whether the device is online after the signal.
        var isOnline: Bool
        /// The reason why the device went offline, or nil if it didn't go offline.
        var reason: String?

        init(_ state: State, _ signal: PresenceSignal, _ isOnline: Bool, _ reason: String? = nil) {
            self.state = state
            self.signal = signal
            self.isOnline = isOnline
            self.reason = reason
        }

        var testDescription: String { "\(state.rawValue), \(signal)" }
    }

    static func presence(_ state: State) -> Presence {
        var presence = Presence()
        guard state != .unseen else { return presence }
        presence.connection = 5
        presence.session = "now"
        presence.isAlive = state == .alive
        presence.isOnline = state != .gone
        return presence
    }

    static func lost(_ connection: Int64) -> PresenceSignal { .disconnected(connection: connection, reason: "lost") }

    static let table: [Case] = [
        Case(.unseen, .connected(connection: 1), true),
        Case(.unseen, lost(1), false),
        Case(.unseen, .birth(session: "a"), true),
        Case(.unseen, .birth(session: nil), true),
        Case(.unseen, .will(session: nil), false),
        Case(.unseen, .will(session: "a"), false),
        Case(.unseen, .notAnnounced, false),

        Case(.alive, .connected(connection: 4), true),
        Case(.alive, .connected(connection: 5), true),
        Case(.alive, .connected(connection: 6), true),
        Case(.alive, lost(4), true),
        Case(.alive, lost(5), false, "lost"),
        Case(.alive, lost(6), false, "lost"),
        Case(.alive, .disconnected(connection: 4, reason: "takenOver"), true),
        Case(.alive, .disconnected(connection: 5, reason: "takenOver"), true),
        Case(.alive, .disconnected(connection: 5, reason: "kicked"), false, "kicked"),
        Case(.alive, .birth(session: "next"), true),
        Case(.alive, .will(session: "now"), true),
        Case(.alive, .will(session: nil), true),
        Case(.alive, .will(session: "old"), true),
        Case(.alive, .notAnnounced, false, "lost"),

        Case(.gone, .connected(connection: 4), false),
        Case(.gone, .connected(connection: 5), true),
        Case(.gone, .connected(connection: 6), true),
        Case(.gone, lost(4), false),
        Case(.gone, lost(5), false),
        Case(.gone, lost(6), false),
        // A birth message after the connection's end must not make the device online.
        Case(.gone, .birth(session: "next"), false),
        Case(.gone, .will(session: "now"), false),
        Case(.gone, .will(session: nil), false),
        Case(.gone, .will(session: "old"), false),
        Case(.gone, .notAnnounced, false),

        Case(.saidHere, .connected(connection: 4), true),
        Case(.saidHere, .connected(connection: 5), true),
        Case(.saidHere, .connected(connection: 6), true),
        Case(.saidHere, lost(4), true),
        Case(.saidHere, lost(5), false, "lost"),
        Case(.saidHere, lost(6), false, "lost"),
        Case(.saidHere, .birth(session: "next"), true),
        Case(.saidHere, .will(session: "now"), false, "lost"),
        Case(.saidHere, .will(session: nil), false, "lost"),
        Case(.saidHere, .will(session: "old"), true),
        Case(.saidHere, .notAnnounced, false, "lost"),
    ]

    @Test("Each signal leads from each state to the right state", arguments: table)
    func cell(_ row: Case) {
        var presence = Self.presence(row.state)
        let wasOnline = presence.isOnline
        let change = PresenceRules.decide(row.signal, presence: &presence, silence: 2, at: Make.now)

        #expect(presence.isOnline == row.isOnline)
        if wasOnline == row.isOnline {
            #expect(change == nil)
            #expect(presence.lastSeenAt == nil)
        } else {
            #expect(change == .init(isOnline: row.isOnline, reason: row.reason))
            #expect(presence.lastSeenAt == Make.now)
        }
    }

    @Test("The number of a connection never decreases")
    func numbers() {
        var presence = Self.presence(.alive)
        _ = PresenceRules.decide(.connected(connection: 3), presence: &presence, silence: 2, at: Make.now)
        #expect(presence.connection == 5)
        _ = PresenceRules.decide(.connected(connection: 9), presence: &presence, silence: 2, at: Make.now)
        #expect(presence.connection == 9)
    }

    @Test("A new connection may miss commands until the device is known to listen, or for a limited time")
    func listening() {
        var presence = Self.presence(.alive)
        #expect(presence.unheard(at: Make.now, within: 2) == nil)
        // Connection 5 is already known, and the gate announces connection 6 twice.
        for connection in [5, 6, 6] as [Int64] {
            let signal = PresenceSignal.connected(connection: connection)
            _ = PresenceRules.decide(signal, presence: &presence, silence: 2, at: Make.now)
            #expect((presence.unheard(at: Make.now, within: 2) != nil) == (connection == 6))
        }
        #expect(presence.unheard(at: Make.now.adding(seconds: 2), within: 2) == nil)
        #expect(presence.unheard(at: Make.now.adding(seconds: -1), within: 2) == nil)
        for (connection, mayMiss) in [(5, true), (6, false)] as [(Int64, Bool)] {
            let signal = PresenceSignal.listening(connection: connection)
            _ = PresenceRules.decide(signal, presence: &presence, silence: 2, at: Make.now)
            #expect((presence.unheard(at: Make.now, within: 2) != nil) == mayMiss)
        }
        let again = PresenceSignal.connected(connection: 6)
        _ = PresenceRules.decide(again, presence: &presence, silence: 2, at: Make.now)
        #expect(presence.unheard(at: Make.now, within: 2) == nil)
    }

    @Test("A device that reconnects before its old connection has ended stays online")
    func takeover() {
        var presence = Self.presence(.alive)
        let signals: [PresenceSignal] = [
            .connected(connection: 6), .will(session: "now"), .disconnected(connection: 5, reason: "takenOver"),
            .birth(session: "next"),
        ]
        for signal in signals {
            #expect(PresenceRules.decide(signal, presence: &presence, silence: 2, at: Make.now) == nil)
            #expect(presence.isOnline && presence.isAlive)
        }
    }

    @Test("A connection whose end is reported before its beginning leaves the device offline") func reordered() {
        var presence = Presence()
        _ = PresenceRules.decide(Self.lost(7), presence: &presence, silence: 2, at: Make.now)
        _ = PresenceRules.decide(.connected(connection: 6), presence: &presence, silence: 2, at: Make.now)
        #expect(!presence.isOnline)
    }
}
