import CMosquittoBroker

/// The fields of Mosquitto's private `struct mosquitto` that no broker function reads or changes.
///
/// The fields are used only if the broker is the tested version and every known word has the expected value. With any
/// other broker, a connection that ends without a reason counts as lost, and the wills of refused clients are never
/// freed. The gate then estimates the waiting messages (`Held`), and the service ends MQTT sessions
/// (`Gate+SessionEnds`).
enum PrivateStructure {
    static let word = MemoryLayout<UInt>.size

    /// The positions of words in the structure, counted from the word `address`.
    ///
    /// The order is: address, id, username, password, keep-alive with state, and three timestamps. Then come the packet
    /// being read, pointers to the first and the last packet to send, and a pointer to the will.
    enum Word {
        static let state = 4
        static let payload = 8
        static let next = 9
        static let lengths = 10
        static let position = 12
        static let firstToSend = 13
        static let lastToSend = 14
        static let will = 15
        /// The word whose upper half is the number of packets to send.
        static let packetsToSend = 18
        static let willDelay = 19
        static let tls = 21
        static let cleanStart = 36
        static let sessionExpiry = 38
        static let outgoing = 46
        static let subscriptions = 57
        static let highestQoS = 59
    }

    /// The positions of words in a will (`struct mosquitto_message_all`).
    enum WillWord {
        static let properties = 2
        static let topic = 6
        static let payload = 7
        static let lengthAndQuality = 8
    }

    /// The values of `mosq_cs_disconnecting` and `mosq_cs_disconnect_with_will` in Mosquitto's internal header.
    private static let disconnecting: [UInt] = [2, 18]

    /// Returns whether a client has sent a DISCONNECT, or false if this is unknown.
    static func hasSaidDisconnect(_ client: OpaquePointer) -> Bool {
        guard let start = start(of: client) else { return false }
        return disconnecting.contains(load(start, Word.state) >> 32)
    }

    /// Frees the will of a client whose CONNECT is being refused.
    ///
    /// Mosquitto 2.0.11 never frees a refused CONNECT's will. Each such CONNECT could therefore leak up to 64 KB.
    static func freeRefusedWill(of client: OpaquePointer) {
        guard let start = start(of: client), let will = refusedWill(from: start) else { return }
        start.storeBytes(of: 0, toByteOffset: Word.will &* word, as: UInt.self)
        var properties = OpaquePointer(bitPattern: load(will, WillWord.properties))
        mosquitto_property_free_all(&properties)
        for place in [WillWord.topic, WillWord.payload] {
            mosquitto_free(UnsafeMutableRawPointer(bitPattern: load(will, place)))
        }
        mosquitto_free(will)
    }

    private static func refusedWill(from start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        let command = load(start, Word.position) >> 48 & 0xFF
        // The client must be new, and its CONNECT must have been read completely. The broker must not have sent it
        // anything yet.
        guard load(start, Word.state) >> 32 == 0, load(start, Word.payload) != 0, load(start, Word.next) == 0,
            command == 0x10, load(start, Word.lengths) >> 32 == load(start, Word.position) & 0xFFFF_FFFF,
            load(start, Word.firstToSend) == 0, load(start, Word.lastToSend) == 0,
            let will = UnsafeMutableRawPointer(bitPattern: load(start, Word.will))
        else { return nil }
        let length = load(will, WillWord.lengthAndQuality) & 0xFFFF_FFFF
        let quality = load(will, WillWord.lengthAndQuality) >> 32
        return length <= 65_535 && quality <= 2 ? will : nil
    }

    // MARK: The position of the fields

    /// Returns the position of the field `address`, after which id, username, password and keep-alive follow.
    ///
    /// Returns nil if the broker isn't the tested version. The result is also nil if the words contradict the broker's
    /// functions.
    static func start(of client: OpaquePointer) -> UnsafeMutableRawPointer? {
        guard BrokerVersion.isTested else { return nil }
        let memory = UnsafeMutableRawPointer(client)
        let address = UInt(bitPattern: gate_client_address(client))
        let id = UInt(bitPattern: gate_client_id(client))
        let username = UInt(bitPattern: gate_client_username(client))
        for place in 1...8 {
            let start = memory.advanced(by: place &* word)
            guard load(start, 0) == address, load(start, 1) == id, load(start, 2) == username else { continue }
            let keepAlive = load(start, Word.state) & 0xFFFF
            return Int32(truncatingIfNeeded: keepAlive) == gate_client_keepalive(client) ? start : nil
        }
        return nil
    }

    /// Returns the word at a position counted from `start`.
    static func load(_ start: UnsafeMutableRawPointer, _ number: Int) -> UInt {
        start.load(fromByteOffset: number &* word, as: UInt.self)
    }
}
