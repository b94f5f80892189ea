package import Domain

/// Reads the gate's reports about held messages (`schemas/messages/system.schema.json`).
package enum QueueNewsCodec {
    /// The most client ids of one message.
    package static let clientsMax = 200
    /// The most devices that one message names; a terminal that missed more has missed all.
    package static let missedDevicesMax = 1000

    /// Statuses that a terminal was too slow for.
    package struct Missed: Sendable, Equatable {
        /// Whose terminal it is.
        package var uid: UserID
        /// The devices; nil for all of the user's.
        package var dids: [DeviceID]?
    }

    /// Reads that a terminal takes messages again, and which statuses it missed.
    package static func decode(missed bytes: ArraySlice<UInt8>) throws(WireError) -> Missed {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            let uid = try fields.uid()
            if try fields.bool("all") == true { return Missed(uid: uid, dids: nil) }
            let names = try fields.texts("dids")
            let dids = names.compactMap(DeviceID.init)
            guard dids.count == names.count, dids.count <= missedDevicesMax else {
                throw fields.refuse("dids", "must be at most \(missedDevicesMax) device ids")
            }
            return Missed(uid: uid, dids: dids)
        }
    }

    /// Reads the client ids whose sessions at the broker must end.
    package static func decode(
        sessionOwed bytes: ArraySlice<UInt8>
    ) throws(WireError) -> [String] {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            let clients = try fields.texts("clientIds")
            let isFit = (1...clientsMax).contains(clients.count)
            guard isFit, clients.allSatisfy({ !$0.isEmpty }) else {
                throw fields.refuse("clientIds", "must be at most \(clientsMax) client ids")
            }
            return clients
        }
    }
}
