import Testing

@testable import Domain

@Suite("Notifications")
struct NotificationTests {
    private let day: Int64 = 86_400_000

    private func at(_ hours: Int64, _ minutes: Int64) -> Instant {
        Instant(milliseconds: 20_000 * day + (hours * 60 + minutes) * 60_000)
    }

    @Test(
        "Quiet hours end at their end, even on the next day",
        arguments: [(22, 0, 31, 0), (23, 59, 31, 0), (6, 59, 7, 0), (21, 59, -1, 0), (7, 0, -1, 0), (12, 0, -1, 0)]
    )
    func quietOverNight(hours: Int64, minutes: Int64, endHours: Int64, endMinutes: Int64) {
        let quiet = QuietHours(from: 22 * 60, to: 7 * 60, zone: nil)
        let end = quiet.end(at: at(hours, minutes), in: .utc)
        #expect(end == (endHours < 0 ? nil : at(endHours, endMinutes)))
    }

    @Test("Quiet hours within one day work in a zone east of UTC")
    func quietInZone() {
        let quiet = QuietHours(from: 12 * 60, to: 14 * 60, zone: nil)
        let zone = ZoneRules(firstOffset: 2 * 3_600, known: [], later: nil)
        #expect(quiet.end(at: at(10, 0), in: zone) == at(12, 0))
        #expect(quiet.end(at: at(12, 0), in: zone) == nil)
    }

    @Test("Quiet hours end at their local time in a night in which the clocks change", arguments: [3_600, -3_600])
    func quietAtAChange(of seconds: Int64) {
        let quiet = QuietHours(from: 22 * 60, to: 7 * 60, zone: nil)
        let change = at(26, 0).milliseconds / 1_000
        let zone = ZoneRules(firstOffset: 0, known: [ZoneRules.Transition(at: change, offset: seconds)], later: nil)
        #expect(quiet.end(at: at(23, 0), in: zone) == Instant(milliseconds: at(31, 0).milliseconds - seconds * 1_000))
    }

    private func address(since: Instant) -> PushAddress {
        PushAddress(
            "token",
            kind: .fcm,
            keys: nil,
            isSandbox: false,
            at: TerminalID(trusted: "t"),
            of: UserID(trusted: "u"),
            app: AppID(trusted: "a"),
            since: since
        )
    }

    @Test("A terminal gets 60 pushes an hour; one more push says how many others there were")
    func limit() {
        var made = address(since: at(8, 0))
        let first = (0..<60).map { _ in made.mayPush(at: at(8, 30)) }
        let beyond = made.mayPush(at: at(8, 59))
        #expect(first.allSatisfy(\.self) && !beyond)
        #expect(made.summaryAt == at(9, 0))
        let later = made.mayPush(at: at(9, 0))
        #expect(later && made.pushes == 1 && made.leftOut == 1)
        // If the clock is set back, the next push starts a new hour, and the count of pushes begins again.
        let earlier = made.mayPush(at: at(7, 0))
        #expect(earlier && made.pushes == 1)
    }

    @Test("A notification's outcome is the best outcome among its terminals")
    func outcome() {
        var note = Notification(
            id: NotificationID(trusted: "t"),
            uid: UserID(trusted: "u"),
            eventID: "e",
            kind: .device,
            type: "device.alert",
            ts: at(0, 0)
        )
        func end(_ terminal: String, _ outcome: Notification.Outcome) {
            note.note(Notification.Push(TerminalID(trusted: terminal), outcome, at: at(0, 0)))
        }
        end("one", .noAddress)
        #expect((note.outcome, note.why) == (.noAddress, .noAddress))
        end("one", .notConfigured)
        #expect(note.outcome == .notConfigured)
        end("two", .pending)
        #expect((note.outcome, note.why) == (.pending, .waits))
        end("two", .failed)
        #expect(note.outcome == .failed)
        end("three", .pushed)
        #expect((note.outcome, note.pushes.count) == (.pushed, 3))
    }

    @Test("Each type has a text and each reason a sentence in each language")
    func texts() {
        let types = [
            "device.alert", "device.fault", "device.offline", "schedule.run", "device.unbound",
            "device.roleChanged", "session.started", "test", "more",
        ]
        let variants =
            Sharing.Status.allCases.map { ("share.changed", $0.rawValue) }
            + User.SecurityChange.allCases.map { ("account.changed", $0.rawValue) }
        for language in ["en", "zh"] {
            for (type, variant) in types.map({ ($0, "") }) + variants {
                let text = NotificationText.render(
                    type,
                    variant: variant,
                    values: ["device": "Lamp", "app": "App"],
                    language: language,
                    countryCode: "49"
                ) { _, _ in nil }
                #expect(!text.title.isEmpty && !text.text.isEmpty, "\(type) \(variant) \(language)")
            }
        }
        #expect(NotificationReason.allCases.allSatisfy { !$0.sentence.isEmpty })
    }
}
