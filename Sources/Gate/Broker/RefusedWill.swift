import CMosquittoBroker

/// Frees the will of a CONNECT that is refused, which Mosquitto 2.0.11 never does: up to 64 KB of memory for each, even
/// with a wrong password.
///
/// No function of the broker gives a plugin the will, so its place in the private `struct mosquitto` is used, and only
/// in a broker of the version that this was tested with, whose memory looks as expected in every word that is known.
enum RefusedWill {
    /// The version of the headers that the gate was built with; those of the broker's own package.
    private static let isKnownVersion = gate_broker_version() == 2_000_011

    /// Words of `struct mosquitto`, counted from the address: address, id, username, password, keep-alive with state,
    /// three times, the packet that is read (payload, next, lengths, …), two packets to send, the will.
    private enum Word {
        static let state = 4
        static let payload = 8
        static let next = 9
        static let lengths = 10
        static let position = 12
        static let firstToSend = 13
        static let lastToSend = 14
        static let will = 15
    }

    /// Words of the will (`struct mosquitto_message_all`).
    private enum WillWord {
        static let properties = 2
        static let topic = 6
        static let payload = 7
        static let lengthAndQuality = 8
    }

    /// Frees the will of a client whose CONNECT is being refused; does nothing where it has none, or where anything is
    /// not as expected.
    static func free(of client: OpaquePointer) {
        guard isKnownVersion, let start = ClientStructure.start(of: client),
            let will = will(from: start)
        else { return }
        start.storeBytes(of: 0, toByteOffset: Word.will &* ClientStructure.word, as: UInt.self)
        var properties = OpaquePointer(
            bitPattern: ClientStructure.load(will, WillWord.properties)
        )
        mosquitto_property_free_all(&properties)
        for word in [WillWord.topic, WillWord.payload] {
            mosquitto_free(UnsafeMutableRawPointer(bitPattern: ClientStructure.load(will, word)))
        }
        mosquitto_free(will)
    }

    private static func will(
        from start: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer? {
        func word(_ number: Int) -> UInt { ClientStructure.load(start, number) }
        let command = word(Word.position) >> 48 & 0xFF
        // A new client, whose CONNECT was read to its end, and to which nothing was sent yet.
        guard word(Word.state) >> 32 == 0, word(Word.payload) != 0, word(Word.next) == 0,
            command == 0x10, word(Word.lengths) >> 32 == word(Word.position) & 0xFFFF_FFFF,
            word(Word.firstToSend) == 0, word(Word.lastToSend) == 0,
            let will = UnsafeMutableRawPointer(bitPattern: word(Word.will))
        else { return nil }
        let length = ClientStructure.load(will, WillWord.lengthAndQuality) & 0xFFFF_FFFF
        let quality = ClientStructure.load(will, WillWord.lengthAndQuality) >> 32
        return length <= 65_535 && quality <= 2 ? will : nil
    }
}
