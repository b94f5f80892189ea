package import Domain

/// A parser of the gate's messages about clients that receive too slowly (`schemas/messages/system.schema.json`).
package enum QueueNewsCodec {
    /// The maximum number of client ids in one message.
    package static let clientsMax = 200
    /// The maximum number of devices in one message.
    ///
    /// If a terminal missed the statuses of more devices, the message has `all` instead of the devices' ids.
    package static let missedDevicesMax = 1000

    /// The statuses that a terminal missed because it was too slow to receive them.
    package struct Missed: Sendable, Equatable {
        /// The terminal's user.
        package var uid: UserID
        /// The devices whose statuses were missed, or nil for all of the user's devices.
        package var dids: [DeviceID]?
    }

    /// Parses a message that lists the devices whose statuses a terminal missed.
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

    /// Parses the ids of the clients whose MQTT sessions must end.
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
