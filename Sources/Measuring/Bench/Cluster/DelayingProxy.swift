import CLinux
import Glibc
import Load
import Workers

/// A single-threaded local TCP proxy, which delays every byte as a network does.
struct DelayingProxy {
    private struct Side {
        var other: Int32
        var unsent: [UInt8] = []
    }

    /// Bytes that the proxy writes to a descriptor when they are due; an empty parcel ends the connection.
    private struct Parcel {
        var due: Int64
        var to: Int32
        var bytes: [UInt8]
    }

    private let listener: Int32
    private let address: sockaddr_in
    private let delay: Int64
    private let poller = epoll_create1(Int32(EPOLL_CLOEXEC))
    private var sides: [Int32: Side] = [:]
    /// The parcels in the order in which the proxy received them.
    ///
    /// The proxy delivers them in the same order, because it delays all parcels equally.
    private var parcels: [Parcel] = []
    private var first = 0
    private var scratch = [UInt8](repeating: 0, count: 64 << 10)

    /// Starts a proxy to a port, with a delay in nanoseconds for each direction.
    ///
    /// - Returns: The port to connect to.
    /// - Throws: `LoadError` if the proxy can't listen on a port.
    static func start(to port: Int, delay: Int64) throws(LoadError) -> Int {
        let (listener, own) = try sockaddr_in(host: "127.0.0.1", port: 0).listen()
        PlainThread.detach {
            let target = sockaddr_in(host: "127.0.0.1", port: port)
            var proxy = DelayingProxy(listener: listener, address: target, delay: delay)
            proxy.run()
        }
        return own
    }

    private mutating func run() {
        watch(listener, EPOLL_CTL_ADD, writes: false)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while true {
            let count = epoll_wait(poller, &events, Int32(events.count), pause())
            for event in events.prefix(max(0, Int(count))) {
                let descriptor = event.data.fd
                if descriptor == listener {
                    accept()
                } else {
                    if event.events & EPOLLOUT.rawValue != 0 { write([], to: descriptor) }
                    if event.events & ~EPOLLOUT.rawValue != 0 { read(descriptor) }
                }
            }
            deliver()
        }
    }

    /// Returns the milliseconds until the next parcel is due.
    ///
    /// If the parcel is due in less than 1 ms, the function sleeps until the parcel is due, and then returns 0.
    private func pause() -> Int32 {
        guard first < parcels.count else { return 1000 }
        let left = parcels[first].due - LoadClock.nanoseconds
        guard left < 1_000_000 else { return Int32(clamping: left / 1_000_000) }
        if left > 0 { usleep(UInt32(left / 1000)) }
        return 0
    }

    private mutating func accept() {
        let near = Glibc.accept(listener, nil, nil)
        guard near >= 0 else { return }
        guard let far = try? address.connect() else {
            close(near)
            return
        }
        for (one, other) in [(near, far), (far, near)] {
            _ = fcntl(one, F_SETFL, O_NONBLOCK)
            var on: Int32 = 1
            setsockopt(one, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
            sides[one] = Side(other: other)
            watch(one, EPOLL_CTL_ADD, writes: false)
        }
    }

    private func watch(_ descriptor: Int32, _ operation: Int32, writes: Bool) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (writes ? EPOLLOUT.rawValue : 0)
        event.data.fd = descriptor
        epoll_ctl(poller, operation, descriptor, &event)
    }

    private mutating func read(_ descriptor: Int32) {
        guard let side = sides[descriptor] else { return }
        let count = recv(descriptor, &scratch, scratch.count, 0)
        if count < 0, errno == EAGAIN { return }
        if count <= 0 { epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, nil) }
        parcels.append(
            Parcel(due: LoadClock.nanoseconds + delay, to: side.other, bytes: Array(scratch.prefix(max(0, count))))
        )
    }

    private mutating func deliver() {
        let now = LoadClock.nanoseconds
        while first < parcels.count, parcels[first].due <= now {
            let parcel = parcels[first]
            first += 1
            if parcel.bytes.isEmpty { end(parcel.to) } else { write(parcel.bytes, to: parcel.to) }
        }
        if first > 4096 || first == parcels.count {
            parcels.removeFirst(first)
            first = 0
        }
    }

    private mutating func write(_ bytes: [UInt8], to descriptor: Int32) {
        guard var side = sides[descriptor] else { return }
        let before = !side.unsent.isEmpty
        side.unsent += bytes
        let count = send(descriptor, side.unsent, side.unsent.count, Int32(MSG_NOSIGNAL))
        if count > 0 { side.unsent.removeFirst(count) }
        if before == side.unsent.isEmpty { watch(descriptor, EPOLL_CTL_MOD, writes: !side.unsent.isEmpty) }
        sides[descriptor] = side
    }

    private mutating func end(_ descriptor: Int32) {
        guard let side = sides.removeValue(forKey: descriptor) else { return }
        sides[side.other] = nil
        close(descriptor)
        close(side.other)
    }
}
