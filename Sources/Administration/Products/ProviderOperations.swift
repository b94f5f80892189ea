import Domain
import JSON
import Logging
import Service
import Storage
import Workers

/// The operations on an app's providers, which are its identity providers and the providers of e-mails and texts that
/// all apps share.
enum ProviderOperations {
    static let all: [Operation] = [
        Operation(
            "tryProvider",
            "POST",
            "apps/{appId}/providers/{provider}/try",
            role: .operator,
            work: .waiting(examine)
        )
    ]

    /// Returns the rows of an app's providers (`Provider`).
    static func rows(of app: App, _ context: OperationContext, in tx: Transaction) throws -> [JSONValue] {
        let uses = try tx.providerUses.all(of: app.id)
        func row(_ name: String, isEnabled: Bool, way: String? = nil, settings: JSONObject? = nil) -> JSONValue {
            let use = uses[name]
            return .object(
                JSONObject(showing: [
                    "name": name, "way": way, "isEnabled": isEnabled, "settings": settings,
                    "succeededAt": use?.succeededAt, "failedAt": use?.failedAt, "failure": use?.failure,
                ])
            )
        }
        return app.providers.values.sorted { $0.provider.rawValue < $1.provider.rawValue }
            .map {
                let settings = AppCodec.encode($0)
                return row($0.provider.rawValue, isEnabled: $0.isEnabled, settings: settings)
            }
            + OutgoingMessage.Channel.allCases.compactMap { channel in
                // Only a running service knows whether it started the broker itself.
                guard let run = context.service?.run else { return nil }
                let way = MessageRoutes.way(of: channel, run)
                return row(channel.rawValue, isEnabled: way != Route.logName, way: way)
            }
    }

    /// The provider to test.
    private enum Subject {
        case identity(ProviderSettings)
        case channel(OutgoingMessage.Channel, gateways: Int)
    }

    private static func examine(_ call: OperationCall) async throws -> Reply {
        let (context, run) = (call.context, try call.service().run)
        let (app, subject) = try await context.threads.run {
            try call.store.batch(at: call.now, once: true) { tx in
                let found = try Self.subject(call, in: tx)
                try call.take("trial", Operator.trialsPerHour, in: tx)
                return found
            }
        }
        let trial =
            switch subject {
            case .identity(let settings):
                await ProviderTrial.identity(settings, logger: Logger(label: "lamplighter.providers"))
            case .channel(let channel, let gateways): await ProviderTrial.channel(channel, run, gateways: gateways)
            }
        try await context.threads.run {
            var act = Act(subject: "app \(app)")
            act.app = app
            act.after = [
                "provider": .string(call.parameter("provider")), "state": .string(trial.state.rawValue),
                "evidence": .string(trial.evidence.description),
            ]
            try call.note(act)
        }
        return Reply(trial.json)
    }

    private static func subject(_ call: OperationCall, in tx: Transaction) throws -> (AppID, Subject) {
        let app = try AppOperations.app(call, in: tx)
        let name = call.parameter("provider")
        if let channel = OutgoingMessage.Channel(rawValue: name) {
            let gateways = try tx.services.all().count { $0.role == "gateway" }
            return (app.id, .channel(channel, gateways: gateways))
        }
        guard let settings = ProviderName(rawValue: name).flatMap({ app.providers[$0] }) else {
            throw Refused.notFound("provider \(Rejection.shown(name, upTo: 64)) of the app")
        }
        return (app.id, .identity(settings))
    }
}
