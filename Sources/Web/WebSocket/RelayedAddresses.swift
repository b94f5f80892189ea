import DequeModule
import Glibc
import Metering
import Synchronization

/// Tells the gate the addresses of clients that come through the relay, in a file (`RelayPlace`).
///
/// Without the file the gate counts each connection by itself.
package final class RelayedAddresses: Sendable {
    private struct State {
        /// The next place that was never used.
        var fresh = 1
        /// Places that were given back; the one that has rested longest is used first, so that the gate never reads
        /// of a newer client when it looks an earlier one up.
        var resting: Deque<Int> = []
    }

    private let file: Int32
    private let state = Mutex(State())

    /// Opens or makes the file, mode 0600.
    ///
    /// - Throws: `RelayError` where that is refused.
    package init(path: String) throws {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw RelayError(function: "open", code: errno) }
        guard ftruncate(file, off_t(RelayPlace.count * RelayPlace.byteCount)) == 0 else {
            let code = errno
            close(file)
            throw RelayError(function: "ftruncate", code: code)
        }
    }

    deinit { close(file) }

    /// Lends a place to a connection that begins; nil where all are taken, or the file can't be written.
    func lend(to client: String) -> Int? {
        guard let place = take() else { return nil }
        let bytes = Self.bytes(of: client)
        let written = bytes.withUnsafeBytes {
            pwrite(file, $0.baseAddress, $0.count, off_t(place * RelayPlace.byteCount))
        }
        guard written == RelayPlace.byteCount else {
            giveBack(place)
            return nil
        }
        return place
    }

    /// Takes a place back when its connection has ended.
    func giveBack(_ place: Int) { state.withLock { $0.resting.append(place) } }

    private func take() -> Int? {
        state.withLock { state in
            if state.fresh < RelayPlace.count - 1 {
                state.fresh += 1
                return state.fresh - 1
            }
            return state.resting.popFirst()
        }
    }

    /// Returns an address as the file has it; zeros for what is no address.
    static func bytes(of address: String) -> [UInt8] {
        var four = [UInt8](repeating: 0, count: 4)
        var six = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &four) == 1 {
            return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + four
        }
        // An address of one interface alone, fe80::1%eth0, is written without the interface.
        let plain = String(address.prefix { $0 != "%" })
        return inet_pton(AF_INET6, plain, &six) == 1 ? six : [UInt8](repeating: 0, count: 16)
    }
}

/// A failure of the system in preparing a relay.
package struct RelayError: Error, CustomStringConvertible {
    let function: String
    let code: Int32

    package var description: String { "\(function): \(String(cString: strerror(code)))" }
}
