import Domain
import JSON
import Logging
import Service
import Storage
import Workers

/// The operations on apps' identity providers and the shared e-mail and SMS providers.
enum ProviderOperations {
    static let all: [Operation] = [
        Operation(
            "tryProvider",
            "POST",
            "apps/{appId}/providers/{provider}/try",
            role: .operator,
            work: .waiting(examine)
        ), Operation("tryPush", "POST", "apps/{appId}/push/{terminalId}/try", role: .operator, work: .waiting(tryPush)),
    ]

    /// Returns the rows of an app's providers (`Provider`).
    static func rows(of app: App, _ context: OperationContext, in tx: Transaction) throws -> [JSONValue] {
        let row = try rowMaker(app, in: tx)
        return app.providers.values.sorted { $0.provider.rawValue < $1.provider.rawValue }
            .map {
                let settings = AppCodec.encode($0)
                return row($0.provider.rawValue, $0.isEnabled, nil, settings)
            }
            + MessageRoutes.channels.compactMap { channel in
                // Only a running service knows whether it started the broker itself.
                guard let run = context.service?.run else { return nil }
                let way = MessageRoutes.way(of: channel, run)
                return row(channel.rawValue, way != Route.logName, way, nil)
            }
    }

    /// Returns the rows of an app's push services (`Provider`).
    static func pushRows(of app: App, in tx: Transaction) throws -> [JSONValue] {
        let row = try rowMaker(app, in: tx)
        return PushKind.allCases.map { row($0.rawValue, app.push.has($0), nil, nil) }
    }

    /// Returns a function that makes a provider's row.
    ///
    /// The function takes a provider's name, whether the provider is enabled, how it sends messages, and its settings.
    private static func rowMaker(
        _ app: App,
        in tx: Transaction
    ) throws -> (String, Bool, String?, JSONObject?) -> JSONValue {
        let uses = try tx.providerUses.all(of: app.id)
        return { name, isEnabled, way, settings in
            let use = uses[name]
            return JSONObject(showing: [
                "name": name, "way": way, "isEnabled": isEnabled, "settings": settings,
                "succeededAt": use?.succeededAt, "failedAt": use?.failedAt, "failure": use?.failure,
            ]).shown
        }
    }

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

    /// Sends a test push to a terminal.
    private static func tryPush(_ call: OperationCall) async throws -> Reply {
        let environment = try call.service().environment
        let (address, send) = try await call.context.threads.run {
            try call.act { work, act in
                let app = try AppOperations.app(call, in: work.tx)
                let terminal = try call.id("terminalId", TerminalKind.self)
                guard let address = try work.tx.pushAddresses.find(terminal), address.app == app.id else {
                    throw Refused.notFound("push address of the terminal \(terminal)")
                }
                try call.take("trial", Operator.trialsPerHour, in: work.tx)
                (act.subject, act.app) = ("terminal \(terminal)", app.id)
                return (address, try PushTest.prepare(address, by: environment, in: &work))
            }
        }
        let end = await send()
        try await call.context.threads.run {
            try environment.work(publishedBy: .session) { work in try PushTest.end(end, of: address, in: work) }
        }
        return Reply(ProviderTrial.push(end, to: address.kind).json)
    }

    private static func subject(_ call: OperationCall, in tx: Transaction) throws -> (AppID, Subject) {
        let app = try AppOperations.app(call, in: tx)
        let name = call.parameter("provider")
        if let channel = MessageRoutes.channels.first(where: { $0.rawValue == name }) {
            let gateways = try tx.services.all().count { $0.role == "gateway" }
            return (app.id, .channel(channel, gateways: gateways))
        }
        guard let settings = ProviderName(rawValue: name).flatMap({ app.providers[$0] }) else {
            throw Refused.notFound("provider \(Rejection.shown(name, upTo: 64)) of the app")
        }
        return (app.id, .identity(settings))
    }
}
