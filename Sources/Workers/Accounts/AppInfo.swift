import Domain
import Providers
import Wire

/// `app/info`, which returns an app's policies, providers and regions to a terminal without a session.
enum AppInfo {
    static let methods: [String: Method] = ["app/info": Method(needsToken: false, isReading: true, run: run)]

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        .result(
            AppCodec.info(
                call.app,
                webPushKey: call.tx.webPushKey(of: call.app.id)?.publicKey,
                regions: call.environment.regions.all,
                sessionDays: max(1, call.sessionSeconds / 86_400)
            )
        )
    }
}
