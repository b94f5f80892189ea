import Glibc
import Load

/// One connection of a hostile process, with its buffers.
final class HostileConnection {
    /// Takes a packet that came: its first byte, and the rest.
    typealias Take = (_ header: UInt8, _ body: ArraySlice<UInt8>) -> Void

    let login: HostileLogin
    let descriptor: Int32
    /// Whether the broker has admitted it.
    var isIn = false
    private var output: [UInt8]
    private var written = 0
    private var input: [UInt8] = []
    var chunk: HostileChunk?
    /// Messages sent, confirmed and answered, each counted or given up.
    var sent = 0
    var confirmed = 0
    var answered = 0
    /// When it was let in, and when something came last, in nanoseconds.
    var since: Int64 = 0
    var heardAt: Int64 = 0

    /// Begins to connect from the login's address.
    ///
    /// - Throws: `LoadError`.
    init(_ login: HostileLogin, port: Int) throws(LoadError) {
        self.login = login
        output = HostilePackets(version: login.version).connect(login)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw .system(function: "socket", code: errno) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var on: Int32 = 1
        // IP_BIND_ADDRESS_NO_PORT: ports are then chosen as for others, per destination.
        setsockopt(descriptor, Int32(IPPROTO_IP), 24, &on, 4)
        let from = sockaddr_in(host: login.address, port: 0)
        let to = sockaddr_in(host: "127.0.0.1", port: port)
        guard Self.call(bind, descriptor, address: from) == 0,
            Self.call(connect, descriptor, address: to) == 0 || errno == EINPROGRESS
        else {
            let code = errno
            close(descriptor)
            throw .system(function: "connect", code: code)
        }
    }

    deinit { close(descriptor) }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32,
        _ descriptor: Int32,
        address: sockaddr_in
    ) -> Int32 {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    var isWriting: Bool { written < output.count }

    /// Queues bytes to be written.
    func write(_ bytes: some Collection<UInt8>) { output.append(contentsOf: bytes) }

    /// Writes queued bytes, as far as the system takes them.
    ///
    /// - Returns: The bytes written; nil when the connection has ended.
    func flush() -> Int? {
        guard isWriting else { return 0 }
        let count = output.withUnsafeBytes {
            let rest = UnsafeRawBufferPointer(rebasing: $0[written...])
            return send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0 { return errno == EAGAIN || errno == EINTR || errno == ENOTCONN ? 0 : nil }
        written += count
        if written == output.count {
            output.removeAll(keepingCapacity: true)
            written = 0
        }
        return count
    }

    /// Reads once, into memory that all connections share, and hands over the packets that are whole.
    ///
    /// - Returns: False when the connection has ended.
    func read(with scratch: UnsafeMutableRawBufferPointer, _ take: Take) -> Bool {
        let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
        if count == 0 { return false }
        if count < 0 { return errno == EAGAIN || errno == EINTR }
        input.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        var at = 0
        while let (start, end) = packet(at) {
            take(input[at], input[start..<end])
            at = end
        }
        input.removeFirst(at)
        return true
    }

    /// Returns the range of the body of the packet that begins at a place; nil while it isn't whole.
    private func packet(_ at: Int) -> (Int, Int)? {
        var length = 0
        for digit in 0..<4 {
            let place = at + 1 + digit
            guard place < input.count else { return nil }
            length |= Int(input[place] & 0x7F) << (7 * digit)
            guard input[place] & 0x80 != 0 else {
                let end = place + 1 + length
                return end <= input.count ? (place + 1, end) : nil
            }
        }
        return nil
    }
}
