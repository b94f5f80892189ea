import ServiceLifecycle
import Workers

/// Runs the delivery service as a service.
struct DeliveryTask: Service {
    let delivery: DeliveryService

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await delivery.run()
        } onCancelOrGracefulShutdown: {
            delivery.stop()
        }
    }
}
