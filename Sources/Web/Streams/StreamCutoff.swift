import Glibc
import NIOCore
import Synchronization

/// A watch that cuts off an ended stream if its client reads too slowly.
///
/// A stream ends when its session, key or subscription ends. One second later, the service must no longer send buffered
/// bytes. A client that reads fast enough isn't cut off, but receives the reason for the end.
final class StreamCutoff: Sendable {
    private let channel: any Channel
    private let isOver = Atomic(false)

    private static let interval = Duration.milliseconds(300)

    /// Begins to watch a stream's connection.
    init(_ channel: any Channel, hasEnded: @escaping @Sendable () async -> Bool) {
        self.channel = channel
        Task { await watch(hasEnded) }
    }

    /// Lets the watch end as soon as all bytes have been sent to the client.
    func finish() { isOver.store(true, ordering: .relaxed) }

    private func watch(_ hasEnded: () async -> Bool) async {
        var wasWaiting = false
        while channel.isActive {
            try? await Task.sleep(for: Self.interval)
            let isWaiting = (try? await channel.getOption(.bufferedWritableBytes).get()) ?? 0 > 0
            if !isWaiting, isOver.load(ordering: .relaxed) { return }
            if isWaiting, wasWaiting, await hasEnded() { return reset() }
            wasWaiting = isWaiting
        }
    }

    /// Closes the connection and discards all bytes that the kernel hasn't sent (`SO_LINGER` of zero seconds).
    private func reset() {
        channel.eventLoop.execute { [channel] in
            try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable { (socket: CInt) in
                let lingers: [CInt] = [1, 0]
                _ = setsockopt(socket, SOL_SOCKET, SO_LINGER, lingers, socklen_t(2 * MemoryLayout<CInt>.size))
            }
            channel.close(promise: nil)
        }
    }
}
