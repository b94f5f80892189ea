import CMosquittoBroker
import Glibc

// The messages that wait for a client, and the lifetime of the client's session. The function `start` checks words near
// the beginning of Mosquitto's client structure. The fields with these data come later in the structure, and their
// positions depend on how the broker was built. The function `sessionStart` therefore checks three more words.
extension PrivateStructure {
    /// The memory that the broker uses for a client.
    struct Holding {
        /// The total size of waiting and unacknowledged payloads, unsent packets, the half-received packet and the
        /// will.
        var bytes: Int
        /// The number of waiting and unacknowledged messages plus the number of unsent packets.
        var messages: Int
        /// Whether the client must acknowledge a message before the broker can send more.
        var isWindowFull: Bool
        /// The address of the oldest unacknowledged message, or 0 if all are acknowledged.
        var oldest: UInt
    }

    /// The number of bytes that the broker needs for each message in addition to the payload.
    static let bytesPerMessage = 512
    /// The maximum number of unsent packets whose sizes are read.
    ///
    /// Further packets are assumed to have the average size.
    private static let packetsRead = 1_000

    /// The positions of words in `struct mosquitto_msg_data`.
    private enum Outgoing {
        static let oldest = 0
        static let bytes = 2
        static let count = 4
        static let window = 5
    }

    /// Returns the memory that the broker uses for a client, or nil if this is unknown.
    static func holding(of client: OpaquePointer) -> Holding? {
        guard let start = sessionStart(of: client) else { return nil }
        let payload = Int(bitPattern: load(start, Word.outgoing &+ Outgoing.bytes))
        let count = Int(load(start, Word.outgoing &+ Outgoing.count) & 0xFFFF_FFFF)
        let window = load(start, Word.outgoing &+ Outgoing.window)
        let quota = Int32(truncatingIfNeeded: window)
        guard payload >= 0, count < 1 << 30, quota <= Int32(window >> 32 & 0xFFFF) else { return nil }
        let packets = Int(load(start, Word.packetsToSend) >> 32)
        let half = load(start, Word.payload) == 0 ? 0 : Int(load(start, Word.lengths) >> 32)
        return Holding(
            bytes: payload &+ half &+ packetBytes(from: start, count: packets) &+ willBytes(from: start),
            messages: count &+ packets,
            isWindowFull: quota <= 0,
            oldest: load(start, Word.outgoing &+ Outgoing.oldest)
        )
    }

    /// Returns how many messages the broker keeps for a client, or nil if unknown.
    static func messages(of client: OpaquePointer) -> Int? {
        guard let start = sessionStart(of: client) else { return nil }
        return Int(load(start, Word.outgoing &+ Outgoing.count) & 0xFFFF_FFFF)
            &+ Int(load(start, Word.packetsToSend) >> 32)
    }

    private static func packetBytes(from start: UnsafeMutableRawPointer, count: Int) -> Int {
        guard count > 0 else { return 0 }
        var (sum, read) = (0, 0)
        var next = UnsafeMutableRawPointer(bitPattern: load(start, Word.firstToSend &+ 1))
        while let packet = next, read < min(count, packetsRead) {
            // A packet begins with pointers to its payload and to the next packet. Two lengths follow, and then the
            // whole packet's length.
            sum &+= Int(load(packet, 3) & 0xFFFF_FFFF)
            read &+= 1
            next = UnsafeMutableRawPointer(bitPattern: load(packet, 1))
        }
        return read == 0 ? 0 : sum / read &* count
    }

    /// Limits a client's session expiry and the delay of the client's will, or returns false if the fields can't be
    /// changed.
    @discardableResult
    static func endSession(of client: OpaquePointer, after seconds: UInt32) -> Bool {
        guard let start = sessionStart(of: client) else { return false }
        lower(start, Word.sessionExpiry, to: seconds)
        lower(start, Word.willDelay, to: seconds)
        return true
    }

    /// Returns how many seconds a session outlives its connection, or nil if unknown.
    static func sessionSeconds(of client: OpaquePointer) -> UInt32? {
        sessionStart(of: client).map { UInt32(truncatingIfNeeded: load($0, Word.sessionExpiry)) }
    }

    /// Returns whether a client's connection is encrypted, or false if this is unknown.
    static func hasTLS(_ client: OpaquePointer) -> Bool {
        sessionStart(of: client).map { load($0, Word.tls) != 0 } ?? false
    }

    /// Makes a client's CONNECT begin a new session, even if the client requested to resume one.
    static func beginClean(_ client: OpaquePointer) {
        guard let start = sessionStart(of: client) else { return }
        start.storeBytes(of: 1, toByteOffset: Word.cleanStart &* word &+ 6, as: UInt8.self)
    }

    /// Lets a client use QoS 2 on a listener whose maximum is QoS 1.
    static func allowQoS2(_ client: OpaquePointer) {
        guard let start = sessionStart(of: client) else { return }
        start.storeBytes(of: 2, toByteOffset: Word.highestQoS &* word &+ 2, as: UInt8.self)
    }

    /// Returns the file descriptor of a client's connection, or nil if the descriptor is unknown.
    ///
    /// The structure begins with a number by which the broker's epoll loop recognises that the structure is a client.
    /// The descriptor comes directly after this number.
    static func socket(of client: OpaquePointer) -> Int32? {
        guard start(of: client) != nil, let address = gate_client_address(client) else { return nil }
        let socket = UnsafeMutableRawPointer(client).load(fromByteOffset: 4, as: Int32.self)
        return Unconnected.address(of: socket) == String(cString: address) ? socket : nil
    }

    /// Returns the number of bytes in a client's will (payload and topic), or 0 if the number is unknown.
    static func willBytes(of client: OpaquePointer) -> Int { sessionStart(of: client).map(willBytes) ?? 0 }

    private static func willBytes(from start: UnsafeMutableRawPointer) -> Int {
        guard let will = UnsafeMutableRawPointer(bitPattern: load(start, Word.will)) else { return 0 }
        let topic = UnsafePointer<CChar>(bitPattern: load(will, WillWord.topic))
        return Int(load(will, WillWord.lengthAndQuality) & 0xFFFF_FFFF) &+ (topic.map { Int(strlen($0)) } ?? 0)
    }

    private static func lower(_ start: UnsafeMutableRawPointer, _ place: Int, to most: UInt32) {
        let asked = UInt32(truncatingIfNeeded: load(start, place))
        start.storeBytes(of: min(asked, most), toByteOffset: place &* word, as: UInt32.self)
    }

    /// Returns the memory address to which the offsets of the session's fields are added.
    ///
    /// Two of the fields can also be read with the broker's functions. If such a function returns a different value, or
    /// another field is out of range, the result is nil.
    private static func sessionStart(of client: OpaquePointer) -> UnsafeMutableRawPointer? {
        guard let start = start(of: client) else { return nil }
        let subscriptions = Int32(truncatingIfNeeded: load(start, Word.subscriptions))
        let isClean = load(start, Word.cleanStart) >> 48 & 0xFF
        // The word contains two Booleans, the highest QoS, and the right to retain messages.
        let ends = load(start, Word.highestQoS)
        guard subscriptions == gate_client_sub_count(client),
            (isClean == 1) == gate_client_clean_start(client), isClean <= 1,
            ends & 0xFF <= 1, ends >> 8 & 0xFF <= 1, ends >> 16 & 0xFF <= 2, ends >> 24 & 0xFF <= 1
        else { return nil }
        return start
    }
}
