import ServiceLifecycle
import Web

/// Says once that everything accepts work, as soon as it does.
struct Announcer: Service {
    let readiness: Readiness
    let announce: @Sendable () throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown { await readiness.waitForAll() }
        if readiness.isStarted { try announce() }
    }
}
