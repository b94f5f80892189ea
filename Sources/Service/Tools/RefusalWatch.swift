package import Domain
import JSON
import Mosquitto
package import Storage
import Wire
import Workers

/// Functions that read the gate's stored refusals and follow new refusals as they happen.
package enum RefusalWatch {
    /// Returns the refusals that the service stored within the last `seconds`, the oldest first.
    package static func stored(
        _ store: Store,
        sinceSeconds seconds: Int64?
    ) throws -> [(id: Int64, refusal: ClientRefusal)] {
        let oldest = seconds.map { SystemClock().now.adding(seconds: -$0) }
        return try store.read { tx in try tx.refusals.page(since: oldest ?? Instant(milliseconds: 0), limit: .max) }
    }

    /// Passes at most `count` refusals to `show`: first the stored refusals, and then the new ones.
    ///
    /// - Throws: A `Problem` if the broker can't be reached.
    package static func follow(
        _ store: Store,
        root: String,
        over client: ToolClient,
        sinceSeconds seconds: Int64?,
        count: Int?,
        show: (_ id: Int64?, ClientRefusal) throws -> Void
    ) throws {
        var feed = RefusalFeed(store, seconds, leavingOut: client.probe, left: count ?? .max)
        try client.connect { client in
            try client.subscribe([Topics(root: root).system("refusal")])
            try feed.begin(show)
            var intake = Intake()
            while feed.left > 0 {
                try client.receive(into: &intake)
                for delivery in intake.deliveries { try feed.take(intake.bytes[delivery.payload], show) }
                try client.flush()
                try feed.catchUp(show)
            }
        }
    }

    /// The stored refusals followed by the new ones, without gaps or repeats.
    private struct RefusalFeed {
        private let store: Store
        private let seconds: Int64?
        private let probe: DoctorProbe
        private(set) var left: Int
        private var shown: Set<Int64> = []
        private var began = SystemClock().now
        private var hasCaughtUp = false

        /// The longest time, in seconds, until a reported refusal is stored.
        ///
        /// The service waits for up to five seconds before it writes refusals. A slow disk can take two seconds more.
        private static let writeSeconds: Int64 = 7

        init(_ store: Store, _ seconds: Int64?, leavingOut probe: DoctorProbe, left: Int) {
            (self.store, self.seconds, self.probe, self.left) = (store, seconds, probe, left)
        }

        /// Shows the stored refusals, after the command has subscribed to new refusals.
        mutating func begin(_ show: (Int64?, ClientRefusal) throws -> Void) throws {
            began = SystemClock().now
            try showStored(show)
        }

        /// Shows the refusals that were reported before the subscription, but stored only after `begin` read the store.
        ///
        /// The function does this once, when `writeSeconds` have passed. All these refusals are stored by then.
        mutating func catchUp(_ show: (Int64?, ClientRefusal) throws -> Void) throws {
            let now = SystemClock().now
            guard !hasCaughtUp, now > began.adding(seconds: Self.writeSeconds) else { return }
            hasCaughtUp = true
            try showStored(show)
        }

        private mutating func showStored(_ show: (Int64?, ClientRefusal) throws -> Void) throws {
            let new = try stored(store, sinceSeconds: seconds).filter {
                $0.refusal.firstAt <= began && shown.insert($0.id).inserted
            }
            for (id, refusal) in new.prefix(left) {
                try show(id, refusal)
                left -= 1
            }
        }

        /// Shows a new refusal, unless a connection attempt of `doctor` caused the refusal.
        mutating func take(_ payload: ArraySlice<UInt8>, _ show: (Int64?, ClientRefusal) throws -> Void) throws {
            guard left > 0, let object = try? Payload.object(payload), let refusal = RefusalCodec.refusal(object),
                !probe.isOurs(refusal, at: SystemClock().now)
            else { return }
            try show(nil, refusal)
            left -= 1
        }
    }
}
