import ServiceLifecycle
import Workers

/// Runs the delivery service as a service.
struct MessageSenderTask: Service {
    let sender: MessageSender

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await sender.run()
        } onCancelOrGracefulShutdown: {
            sender.stop()
        }
    }
}
