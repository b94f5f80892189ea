package import Domain
package import JSON
package import Logging
import Problems
import Providers
import ServiceSettings
import Workers

/// The outcome of testing an identity provider, a channel's route or a push.
package struct ProviderTrial: Sendable {
    /// Whether the provider works, or `skip` if this machine can't find that out.
    package let state: Finding.State
    /// What the trial found.
    package let evidence: FindingText
    /// What the operator can do about the finding, or empty if nothing is needed.
    package private(set) var cure: FindingText = ""

    init(_ state: Finding.State, _ evidence: FindingText) { (self.state, self.evidence) = (state, evidence) }

    /// Returns the outcome with a cure.
    private func cured(by cure: FindingText) -> ProviderTrial {
        var trial = self
        trial.cure = cure
        return trial
    }

    /// The trial as JSON for the console (`ProviderTrial` of `schemas/http`).
    package var json: JSONObject {
        JSONObject(showing: [
            "state": state.rawValue, "evidence": evidence.json, "cure": cure.isEmpty ? nil : cure.json,
        ])
    }

    // MARK: Sign-in

    /// Tries an app's identity provider; the trial takes at most as long as a login.
    package static func identity(_ provider: ProviderSettings, logger: Logger) async -> ProviderTrial {
        let path = "providers.\(provider.provider)"
        guard !provider.clientIDs.isEmpty else {
            return ProviderTrial(.fail, "the provider has no client id")
                .cured(by: "put the app's ids from the provider into \(path).clientIds of the document")
        }
        let providers = IdentityProviders(logger: logger)
        var failure: ProviderFailure?
        do throws(ProviderFailure) {
            try await providers.examine(provider)
        } catch {
            failure = error
        }
        await providers.shutdown()
        if case .unavailable(_, let reason) = failure {
            let cure: FindingText = """
                see whether this machine reaches \(provider.baseURL), and whether address, ids and secret of \(path) are \
                right
                """
            return ProviderTrial(.fail, FindingText(verbatim: reason)).cured(by: cure)
        }
        guard provider.isEnabled else {
            return ProviderTrial(.warn, "the provider answers, but users may not log in with it")
                .cured(by: "set \(path).enabled in the document")
        }
        return provider.provider.hasIDTokens
            ? ProviderTrial(.pass, "the provider publishes keys for verifying ID tokens")
            : ProviderTrial(.pass, "the provider answers, and refuses an invented credential")
    }

    // MARK: Messages

    /// Tests a channel's route without sending a message, and takes at most as long as sending one.
    package static func channel(
        _ channel: OutgoingMessage.Channel,
        _ context: RunContext,
        gateways: Int
    ) async -> ProviderTrial {
        let key = "delivery.\(channel.rawValue)"
        switch MessageRoutes.way(of: channel, context) {
        case "smtp": return await mailServer(context.settings)
        case "webhook": return await webhook(context.settings)
        case Route.logName:
            return ProviderTrial(.warn, "nothing is sent: messages are only written to the log")
                .cured(by: "set \(key) to another value")
        default:
            guard gateways > 0 else {
                return ProviderTrial(.fail, "messages are published for a gateway, but none may connect")
                    .cured(by: "lamplighter service add mailer --role gateway")
            }
            return ProviderTrial(.skip, "messages are published for a gateway; \(gateways) may connect")
                .cured(by: "a test message shows whether a gateway sends them")
        }
    }

    /// Returns the outcome of a test push.
    package static func push(_ end: PushEnd, to kind: PushKind) -> ProviderTrial {
        switch end {
        case .sent where kind == .gateway: ProviderTrial(.skip, "the push is published for a gateway")
        case .sent: ProviderTrial(.pass, "the push service accepted the push")
        case .gone:
            ProviderTrial(.fail, "the push service no longer knows the address, which was deleted")
                .cured(by: "the app sets a new address with notification/setPush")
        case .failed(let reason): ProviderTrial(.fail, FindingText(verbatim: reason))
        case .notConfigured:
            ProviderTrial(.fail, "the app has no settings for this push service")
                .cured(by: "add push.\(kind.rawValue) to the app's document")
        }
    }

    private static func mailServer(_ settings: Settings) async -> ProviderTrial {
        do {
            let (client, from) = try MessageRoutes.mailServer(settings)
            let found = try await BlockingPool(max: 1).run { client.greet(as: from.domain) }
            guard let found else { return ProviderTrial(.pass, "\(settings.smtpHost) answers and accepts mails") }
            return ProviderTrial(.fail, FindingText(verbatim: found.summary)).cured(by: cure(found.obstacle))
        } catch {
            return broken(error)
        }
    }

    private static func cure(_ obstacle: SMTPClient.Obstacle) -> FindingText {
        switch obstacle {
        case .name: "see whether smtp.host is the server's name"
        case .connection: "see smtp.host and smtp.port, and whether a firewall is in between"
        case .security: "see smtp.security and smtp.caFile, and the server's certificate"
        case .login: "see smtp.username and smtp.passwordFile"
        case .other: "see the settings smtp.… and the server's log"
        }
    }

    private static func webhook(_ settings: Settings) async -> ProviderTrial {
        do {
            let status = try await MessageRoutes.textWebhook(settings).reach()
            let evidence: FindingText = "the webhook answered \(status)"
            return switch status {
            case 401, 403: ProviderTrial(.fail, evidence).cured(by: "see webhook.tokenFile")
            case 404, 410: ProviderTrial(.warn, evidence).cured(by: "see whether webhook.url is the webhook's address")
            // A server that doesn't support HEAD answers 501, so 501 isn't a failure.
            case 500, 502...599: ProviderTrial(.fail, evidence).cured(by: "see the log of the webhook's server")
            default: ProviderTrial(.pass, evidence)
            }
        } catch let failure as MessageFailure {
            return ProviderTrial(.fail, FindingText(verbatim: failure.reason))
                .cured(by: "see whether this machine reaches webhook.url")
        } catch {
            return broken(error)
        }
    }

    private static func broken(_ error: any Error) -> ProviderTrial {
        let problem = error as? Problem
        return ProviderTrial(.fail, "\(problem?.message ?? "\(error)"): \(problem?.why ?? "")")
            .cured(by: "correct the setting, and restart the service")
    }
}

extension MessageRoutes {
    /// The channels whose route an operator chooses in the settings; no setting chooses the route of a push.
    package static let channels = [OutgoingMessage.Channel.email, .sms]

    /// Returns the name of the route by which a channel's messages are sent.
    package static func way(of channel: OutgoingMessage.Channel, _ context: RunContext) -> String {
        let word = channel == .email ? context.settings.emailDelivery : context.settings.smsDelivery
        guard word == "auto" else { return word }
        return context.ownsBroker ? Route.logName : "gateway"
    }
}
