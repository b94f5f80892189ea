import CMosquittoBroker
import Glibc

// The messages that wait for a client, and the lifetime of its session. The words come after those that `start` compares.
// Two more are compared here, since they come after fields that depend on how the broker was built.
extension PrivateStructure {
    /// The memory that the broker holds for a client at the moment.
    struct Holding {
        /// Bytes of payload that wait or are not acknowledged, of packets that were not sent, of one half received, and
        /// of the will.
        var bytes: Int
        /// Messages that wait or are not acknowledged, and packets that were not sent.
        var messages: Int
        /// Whether the client lets the broker send nothing more before it acknowledges.
        var isWindowFull: Bool
        /// The oldest message that is not acknowledged; 0 where there is none.
        var oldest: UInt
    }

    /// Bytes that the broker takes for each message beside its payload.
    static let bytesPerMessage = 512
    /// Packets that were not sent, beyond which their sizes are taken for those of the first ones.
    private static let packetsRead = 1_000

    /// Words of `struct mosquitto_msg_data`, counted from its beginning.
    private enum Outgoing {
        static let oldest = 0
        static let bytes = 2
        static let count = 4
        static let window = 5
    }

    /// Returns the memory held for a client; nil where that is unknown.
    static func holding(of client: OpaquePointer) -> Holding? {
        guard let start = sessionStart(of: client) else { return nil }
        let payload = Int(bitPattern: load(start, Word.outgoing &+ Outgoing.bytes))
        let count = Int(load(start, Word.outgoing &+ Outgoing.count) & 0xFFFF_FFFF)
        let window = load(start, Word.outgoing &+ Outgoing.window)
        let quota = Int32(truncatingIfNeeded: window)
        guard payload >= 0, count < 1 << 30, quota <= Int32(window >> 32 & 0xFFFF) else {
            return nil
        }
        let packets = Int(load(start, Word.packetsToSend) >> 32)
        let half = load(start, Word.payload) == 0 ? 0 : Int(load(start, Word.lengths) >> 32)
        return Holding(
            bytes: payload &+ half &+ packetBytes(from: start, count: packets)
                &+ willBytes(from: start),
            messages: count &+ packets,
            isWindowFull: quota <= 0,
            oldest: load(start, Word.outgoing &+ Outgoing.oldest)
        )
    }

    /// Returns the bytes of the packets that the network has not taken yet.
    private static func packetBytes(from start: UnsafeMutableRawPointer, count: Int) -> Int {
        guard count > 0 else { return 0 }
        var (sum, read) = (0, 0)
        var next = UnsafeMutableRawPointer(bitPattern: load(start, Word.firstToSend &+ 1))
        while let packet = next, read < min(count, packetsRead) {
            // Behind payload and next: two lengths, then the whole packet's.
            sum &+= Int(load(packet, 3) & 0xFFFF_FFFF)
            read &+= 1
            next = UnsafeMutableRawPointer(bitPattern: load(packet, 1))
        }
        return read == 0 ? 0 : sum / read &* count
    }

    /// Lowers a client's session expiry and will delay to at most `seconds`.
    ///
    /// - Returns: False where that can't be done.
    @discardableResult
    static func endSession(of client: OpaquePointer, after seconds: UInt32) -> Bool {
        guard let start = sessionStart(of: client) else { return false }
        lower(start, Word.sessionExpiry, to: seconds)
        lower(start, Word.willDelay, to: seconds)
        return true
    }

    /// Returns how long a client's session lives after its connection; nil where that is unknown.
    static func sessionSeconds(of client: OpaquePointer) -> UInt32? {
        sessionStart(of: client).map { UInt32(truncatingIfNeeded: load($0, Word.sessionExpiry)) }
    }

    /// Whether a client's connection is encrypted; false where that is unknown.
    static func hasTLS(_ client: OpaquePointer) -> Bool {
        sessionStart(of: client).map { load($0, Word.tls) != 0 } ?? false
    }

    /// Has a CONNECT begin a new session, whatever it asked for.
    static func beginClean(_ client: OpaquePointer) {
        guard let start = sessionStart(of: client) else { return }
        start.storeBytes(of: 1, toByteOffset: Word.cleanStart &* word &+ 6, as: UInt8.self)
    }

    /// Lets a client use QoS 2 on a listener that allows QoS 1.
    static func allowQoS2(_ client: OpaquePointer) {
        guard let start = sessionStart(of: client) else { return }
        start.storeBytes(of: 2, toByteOffset: Word.highestQoS &* word &+ 2, as: UInt8.self)
    }

    /// Returns the descriptor of a client's connection; nil where that is unknown.
    ///
    /// It comes after the number by which epoll knows a client, and must be a connection to the client's address.
    static func socket(of client: OpaquePointer) -> Int32? {
        guard start(of: client) != nil, let address = gate_client_address(client) else {
            return nil
        }
        let socket = UnsafeMutableRawPointer(client).load(fromByteOffset: 4, as: Int32.self)
        return Unconnected.address(of: socket) == String(cString: address) ? socket : nil
    }

    /// Returns the bytes of payload and topic of a client's will; 0 where it has none or that is unknown.
    static func willBytes(of client: OpaquePointer) -> Int {
        sessionStart(of: client).map(willBytes) ?? 0
    }

    private static func willBytes(from start: UnsafeMutableRawPointer) -> Int {
        guard let will = UnsafeMutableRawPointer(bitPattern: load(start, Word.will)) else {
            return 0
        }
        let topic = UnsafePointer<CChar>(bitPattern: load(will, WillWord.topic))
        return Int(load(will, WillWord.lengthAndQuality) & 0xFFFF_FFFF)
            &+ (topic.map { Int(strlen($0)) } ?? 0)
    }

    private static func lower(_ start: UnsafeMutableRawPointer, _ place: Int, to most: UInt32) {
        let asked = UInt32(truncatingIfNeeded: load(start, place))
        start.storeBytes(of: min(asked, most), toByteOffset: place &* word, as: UInt32.self)
    }

    /// Returns where the fields stand; nil where the two that functions of the broker give as well are not there.
    private static func sessionStart(of client: OpaquePointer) -> UnsafeMutableRawPointer? {
        guard let start = start(of: client) else { return nil }
        let subscriptions = Int32(truncatingIfNeeded: load(start, Word.subscriptions))
        let isClean = load(start, Word.cleanStart) >> 48 & 0xFF
        // Highest QoS, whether it may retain and whether TCP waits, behind two Booleans of WebSocket.
        let ends = load(start, Word.highestQoS)
        guard subscriptions == gate_client_sub_count(client),
            (isClean == 1) == gate_client_clean_start(client), isClean <= 1,
            ends & 0xFF <= 1, ends >> 8 & 0xFF <= 1, ends >> 16 & 0xFF <= 2, ends >> 24 & 0xFF <= 1
        else { return nil }
        return start
    }
}
