import CMosquittoBroker

/// The place of known fields in Mosquitto's private `struct mosquitto`, for the two things that no function gives.
enum ClientStructure {
    static let word = MemoryLayout<UInt>.size

    /// Returns where the address, id and username stand in a row, followed by the password and the keep-alive; nil
    /// where these do not stand in the first words of the structure, as the broker's functions return them.
    static func start(of client: OpaquePointer) -> UnsafeMutableRawPointer? {
        let memory = UnsafeMutableRawPointer(client)
        let known = [
            UInt(bitPattern: gate_client_address(client)), UInt(bitPattern: gate_client_id(client)),
            UInt(bitPattern: gate_client_username(client)),
        ]
        for place in 1...8 {
            let start = memory.advanced(by: place &* word)
            guard (0..<3).allSatisfy({ load(start, $0) == known[$0] }) else { continue }
            let keepAlive = start.load(fromByteOffset: 4 &* word, as: UInt16.self)
            return Int32(keepAlive) == gate_client_keepalive(client) ? start : nil
        }
        return nil
    }

    /// Returns a word, counted from a place.
    static func load(_ start: UnsafeMutableRawPointer, _ number: Int) -> UInt {
        start.load(fromByteOffset: number &* word, as: UInt.self)
    }
}
