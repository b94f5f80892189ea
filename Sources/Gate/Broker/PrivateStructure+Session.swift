import CMosquittoBroker
import Glibc

// The messages that wait for a client, and the lifetime of its session. In the structure, these fields come after the
// words that `start` compares. Two more words are compared here, because the fields before them depend on how the
// broker was built.
extension PrivateStructure {
    /// The memory that the broker holds for a client.
    struct Holding {
        /// The bytes of payloads that wait or are unacknowledged, of unsent packets, of a half-received packet, and of
        /// the will.
        var bytes: Int
        /// The number of messages that wait or are unacknowledged, and of unsent packets.
        var messages: Int
        /// Whether the broker can send nothing more until the client acknowledges.
        var isWindowFull: Bool
        /// The oldest unacknowledged message, if any; otherwise 0.
        var oldest: UInt
    }

    /// The bytes that the broker takes for each message besides its payload.
    static let bytesPerMessage = 512
    /// The number of unsent packets whose sizes are read; further ones count with the average size.
    private static let packetsRead = 1_000

    /// Words of `struct mosquitto_msg_data`, counted from its beginning.
    private enum Outgoing {
        static let oldest = 0
        static let bytes = 2
        static let count = 4
        static let window = 5
    }

    /// Returns the memory held for a client; nil if unknown.
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

    /// Returns the number of messages held for a client; nil where that is unknown.
    static func messages(of client: OpaquePointer) -> Int? {
        guard let start = sessionStart(of: client) else { return nil }
        return Int(load(start, Word.outgoing &+ Outgoing.count) & 0xFFFF_FFFF)
            &+ Int(load(start, Word.packetsToSend) >> 32)
    }

    /// Returns the bytes of the packets that were not sent yet.
    private static func packetBytes(from start: UnsafeMutableRawPointer, count: Int) -> Int {
        guard count > 0 else { return 0 }
        var (sum, read) = (0, 0)
        var next = UnsafeMutableRawPointer(bitPattern: load(start, Word.firstToSend &+ 1))
        while let packet = next, read < min(count, packetsRead) {
            // After the payload and the next packet: two lengths, then the whole packet's length.
            sum &+= Int(load(packet, 3) & 0xFFFF_FFFF)
            read &+= 1
            next = UnsafeMutableRawPointer(bitPattern: load(packet, 1))
        }
        return read == 0 ? 0 : sum / read &* count
    }

    /// Lowers a client's session expiry and will delay to at most `seconds`.
    ///
    /// - Returns: False if that can't be done.
    @discardableResult
    static func endSession(of client: OpaquePointer, after seconds: UInt32) -> Bool {
        guard let start = sessionStart(of: client) else { return false }
        lower(start, Word.sessionExpiry, to: seconds)
        lower(start, Word.willDelay, to: seconds)
        return true
    }

    /// Returns the seconds that a client's session outlives its connection; nil if unknown.
    static func sessionSeconds(of client: OpaquePointer) -> UInt32? {
        sessionStart(of: client).map { UInt32(truncatingIfNeeded: load($0, Word.sessionExpiry)) }
    }

    /// Whether a client's connection is encrypted; false if unknown.
    static func hasTLS(_ client: OpaquePointer) -> Bool {
        sessionStart(of: client).map { load($0, Word.tls) != 0 } ?? false
    }

    /// Makes a CONNECT begin a new session, whatever it requested.
    static func beginClean(_ client: OpaquePointer) {
        guard let start = sessionStart(of: client) else { return }
        start.storeBytes(of: 1, toByteOffset: Word.cleanStart &* word &+ 6, as: UInt8.self)
    }

    /// Lets a client use QoS 2 on a listener whose maximum is QoS 1.
    static func allowQoS2(_ client: OpaquePointer) {
        guard let start = sessionStart(of: client) else { return }
        start.storeBytes(of: 2, toByteOffset: Word.highestQoS &* word &+ 2, as: UInt8.self)
    }

    /// Returns the descriptor of a client's connection; nil if unknown.
    ///
    /// It follows the number that identifies the client to epoll, and must be connected to the client's address.
    static func socket(of client: OpaquePointer) -> Int32? {
        guard start(of: client) != nil, let address = gate_client_address(client) else { return nil }
        let socket = UnsafeMutableRawPointer(client).load(fromByteOffset: 4, as: Int32.self)
        return Unconnected.address(of: socket) == String(cString: address) ? socket : nil
    }

    /// Returns the bytes of the payload and topic of a client's will; 0 without a will, or if unknown.
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

    /// Returns the start of the fields; nil if the two that functions of the broker also return differ, or a small
    /// field is out of range.
    private static func sessionStart(of client: OpaquePointer) -> UnsafeMutableRawPointer? {
        guard let start = start(of: client) else { return nil }
        let subscriptions = Int32(truncatingIfNeeded: load(start, Word.subscriptions))
        let isClean = load(start, Word.cleanStart) >> 48 & 0xFF
        // Two Booleans, the highest QoS, and whether the client may retain.
        let ends = load(start, Word.highestQoS)
        guard subscriptions == gate_client_sub_count(client),
            (isClean == 1) == gate_client_clean_start(client), isClean <= 1,
            ends & 0xFF <= 1, ends >> 8 & 0xFF <= 1, ends >> 16 & 0xFF <= 2, ends >> 24 & 0xFF <= 1
        else { return nil }
        return start
    }
}
