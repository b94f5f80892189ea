import Domain
import Sodium
import Wire

/// Carries out the registrations of a batch, before all messages about devices; row by row, since they are few.
struct RegistrationProcessor {
    private var registrations: [DeviceRegistration] = []
    private let quotas: QuotaFront

    init(quotas: QuotaFront) { self.quotas = quotas }

    /// Reads a registration; one that can't be read becomes a dead letter, and is refused if it has an id.
    mutating func read(
        _ message: Inbound,
        product key: ProductKey,
        mac: MAC,
        in work: inout UnitOfWork
    ) {
        let trace = message.trace ?? .make()
        do {
            registrations.append(
                DeviceRegistration(
                    request: try RegistrationCodec.decode(
                        message.payload,
                        productKey: key,
                        mac: mac
                    ),
                    content: Sodium.sha256(message.payload),
                    source: message.sourceAddress,
                    topic: message.topicText,
                    trace: trace
                )
            )
        } catch {
            work.effects.deadLetter(message, unreadable: error, trace: trace)
            guard let id = error.id else { return }
            work.effects.publish(
                OutboundMessage(
                    work.topics.registered(key, mac),
                    AnswerCodec.refusal(id, error.rejection)
                )
            )
        }
    }

    /// Carries out the registrations, in the order in which they came.
    func carryOut(in work: inout UnitOfWork) throws {
        for registration in registrations {
            try registration.carryOut(counting: quotas, in: &work)
        }
    }
}
