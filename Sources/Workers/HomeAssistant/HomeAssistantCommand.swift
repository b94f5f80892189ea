import Domain
import Storage
import Wire

/// The handling of commands from users' Home Assistants.
extension RequestProcessor {
    /// Carries out a link's command as if the link's user had called `device/control`.
    ///
    /// Home Assistant gets no answer. Home Assistant shows reported values, which a refused command doesn't change. The
    /// worker publishes the refusal as an event.
    func carryOut(_ message: Inbound, ofLink id: SessionID, for did: DeviceID, in work: inout UnitOfWork) throws {
        try work.tx.lock(devices: [did])
        guard let session = try work.tx.sessions.find(id), session.isLink, session.refusal(at: work.now) == nil,
            let app = try work.app(session.app)
        else { return }
        let refusal: Rejection
        do {
            let request = try AppRequest(
                HomeAssistantCodec.controlling(did, by: message.payload)[...],
                app: app.id,
                terminal: session.terminal,
                service: "device",
                method: "control",
                reply: ReplyAddress(topic: "", correlation: nil),
                arrivedAt: message.arrivedAt,
                trace: message.trace
            )
            try checkDisk(request.name, isReading: false)
            let part = work.branch()
            var call = Call(
                request: request,
                app: app,
                session: session,
                key: nil,
                environment: environment,
                work: part
            )
            _ = try call.tx.isolated { try ControlMethod.control(&call) }
            work.merge(call.work)
            return work.effects.observed.add(AnsweredRequest(request, isKnown: true, refusal: nil))
        } catch let error as WireError {
            refusal = error.rejection
        } catch let rejection as Rejection {
            refusal = rejection
        }
        work.effects.count(refusal)
        let payload = HomeAssistantCodec.refused(refusal, at: work.now)
        work.effects.publish(payload, to: work.topics.link(id, did, leaf: "problem"))
    }
}
