import ServiceLifecycle
import Web

/// Announces once that everything accepts work.
struct Announcer: Service {
    let readiness: Readiness
    let announce: @Sendable () throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await readiness.waitForAll() }
        if readiness.isStarted { try announce() }
    }
}
