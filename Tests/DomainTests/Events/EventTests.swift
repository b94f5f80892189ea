import Domain
import Testing

@Suite("Cursors and types of the event log")
struct EventTests {
    @Test("A cursor's text is short, can be read back, and sorts in the order of the log")
    func cursors() {
        let places = [
            EventCursor.start, EventCursor(xid: 0, seq: 7, left: 2), EventCursor(xid: 0, seq: 7, left: 1),
            EventCursor(xid: 0, seq: 7), EventCursor(xid: 3, seq: 1), EventCursor(xid: .max, seq: .max, left: 10_000),
        ]
        #expect(places == places.sorted())
        for place in places {
            #expect(EventCursor(place.text) == place)
            #expect((1...48).contains(place.text.utf8.count))
            #expect(place.text.utf8.allSatisfy { "0123456789abcdefghijklmnopqrstuvwxyz-".utf8.contains($0) })
        }
    }

    @Test(
        "Any other text is not a cursor",
        arguments: ["", "now", "1-2", "1-2-3-4", "1--3", "A-2-3", "-1-2-3", "01-2-3", "+1-2-3", "1-2-3 ", "é-1-2"]
    )
    func noCursor(_ text: String) { #expect(EventCursor(text) == nil) }

    @Test("A group's name stands for its types; a name that is neither a type nor a group is refused")
    func names() {
        #expect(EventType.named("device.*").contains(.deviceStatus))
        #expect(!EventType.named("device.*").contains(.shareChanged))
        #expect(EventType.named("schedule.run") == [.scheduleRun])
        for name in ["", "*", "device", "device.", "device.nothing", "events.gap", "events.*"] {
            #expect(EventType.named(name).isEmpty, "\(name)")
        }
    }

    @Test("Each event of a device has a type in the log")
    func deviceEvents() {
        for type in Event.types {
            let event = Event(id: "e", type: type, ts: Instant(milliseconds: 0), actor: .system)
            #expect(EventType(event) != nil, "\(type)")
        }
    }

    @Test("A filter without types matches all types except statuses; products and devices narrow it")
    func filters() {
        let key = ProductKey(trusted: String(repeating: "a", count: 32))
        let did = DeviceID(trusted: "d-1")
        func event(_ type: EventType, did: DeviceID? = nil, product: ProductKey? = nil) -> LoggedEvent {
            LoggedEvent(type, at: Instant(milliseconds: 0), did: did, product: product, data: [])
        }
        #expect(EventFilter().accepts(event(.accountCreated)) && !EventFilter().accepts(event(.deviceStatus)))
        #expect(!EventFilter().wantsStatuses && EventFilter(names: ["device.*"]).wantsStatuses)
        let narrow = EventFilter(products: [key], dids: [did])
        #expect(narrow.accepts(event(.deviceAlert, did: did, product: key)))
        #expect(!narrow.accepts(event(.deviceAlert, did: DeviceID(trusted: "d-2"), product: key)))
        #expect(!narrow.accepts(event(.accountCreated)))
    }
}
