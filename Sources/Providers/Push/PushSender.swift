package import Domain
import Foundation
package import JSON
import Synchronization

/// A push that is ready to be sent, with everything that a push service needs.
package struct PushDelivery: Sendable {
    /// The address of the terminal.
    package var address: PushAddress
    /// The id by which a push service recognises a repeated push.
    package var id: String
    /// The content.
    package var payload: JSONObject
    /// The app's settings.
    package var settings: PushSettings
    /// The app's key for Web Push.
    package var key: VAPIDKey
    /// The time until which the push service may deliver the push.
    package var expiresAt: Instant
    /// Returns whether the push may still be sent; the sender calls this right before the request.
    package var mayBegin: @Sendable () -> Bool = { true }

    /// Makes a push that is ready to be sent.
    ///
    /// If the push is about a single notification, the push has the notification's id. Otherwise, the push has the id
    /// that the parameter `message` gives.
    package init(
        _ push: OutgoingPush,
        message: MessageID,
        from app: App,
        key: VAPIDKey,
        expiresAt: Instant
    ) {
        (address, id, settings) = (push.address, (push.notification ?? message).text, app.push)
        (payload, self.key, self.expiresAt) = (PushPayload.shown(push, by: app), key, expiresAt)
    }
}

/// A sender of pushes to Firebase Cloud Messaging, Apple's push service, and Web Push services.
package final class PushSender: Sendable {
    /// The longest time for one request to a push service.
    private static let timeout = Duration.seconds(15)
    /// A push service that fails 10 times in a row gets no pushes for 30 seconds.
    private static let limits = Breaker.Limits(failuresMax: 10, pause: .seconds(30), callsMax: 32)

    let outbound: OutboundRule
    let clock: @Sendable () -> Int64
    let accessTokens: AccessTokens
    let appleTokens = Mutex<[PushSettings.APNs: (text: String, madeAt: Int64)]>([:])
    private let client = SharedClient()
    private let breakers = Breakers(PushSender.limits)

    /// Makes a sender with a rule that says which addresses of Web Push services are allowed.
    package init(
        _ outbound: OutboundRule,
        clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
    ) {
        (self.outbound, self.clock) = (outbound, clock)
        accessTokens = AccessTokens(clock: clock)
    }

    /// Sends a push, and returns when the push service has accepted it.
    ///
    /// - Throws: `MessageFailure`. Its text contains neither the keys nor the address.
    package func send(_ delivery: PushDelivery) async throws(MessageFailure) {
        let (kind, settings) = (delivery.address.kind, delivery.settings)
        if kind == .webpush {
            try await sendWebPush(delivery)
        } else if kind == .fcm, let fcm = settings.fcm {
            try await sendFCM(delivery, fcm)
        } else if kind == .apns, let apns = settings.apns {
            try await sendAPNs(delivery, apns)
        } else {
            throw .final("The app has no settings for \(kind); add push.\(kind) to the app's document.")
        }
    }

    /// Sends a push, and returns the outcome instead of throwing an error.
    package func end(of delivery: PushDelivery) async -> PushEnd {
        do throws(MessageFailure) {
            try await send(delivery)
            return .sent
        } catch {
            return error == .gone ? .gone : .failed(error.reason)
        }
    }

    /// Cancels the running pushes, and refuses further pushes.
    package func shutdown() { client.shutdown() }

    /// Sends a request, unless the push service has failed repeatedly or has too many running requests.
    ///
    /// - Throws: `MessageFailure`: `final` if the address isn't allowed, otherwise `unavailable`.
    func call(_ request: WebClient.Request) async throws(MessageFailure) -> WebClient.Answer {
        let host = Self.origin(of: request.url)
        let isProbe: Bool
        switch breakers.enter(host) {
        case .refused(let seconds):
            throw .unavailable("The push service \(Self.name(host)) is busy or fails.", retryAfter: seconds)
        case .call(let probes): isProbe = probes
        }
        let answer: WebClient.Answer
        do throws(WebClient.Failure) {
            answer = try await client.call(request, until: .now + Self.timeout)
        } catch {
            throw failure(error, of: host, isProbe)
        }
        let isDown = [408, 425, 429].contains(answer.status) || answer.status >= 500
        breakers.leave(host, isDown ? .failed : .answered, isProbe: isProbe)
        guard isDown else { return answer }
        let text = "The push service \(Self.name(host)) answered \(answer.status); the push is tried again."
        throw .unavailable(text, retryAfter: answer.retryAfter)
    }

    private func failure(_ error: WebClient.Failure, of host: String, _ isProbe: Bool) -> MessageFailure {
        let isOurs = [.cancelled, .withdrawn, .addressNotAllowed].contains(error)
        breakers.leave(host, isOurs ? .cancelled : .failed, isProbe: isProbe)
        let text = "The push service \(Self.name(host)) was not reached: \(error.rawValue)."
        return error == .addressNotAllowed ? .final("addressNotAllowed: \(text)") : .unavailable(text)
    }

    /// Returns the origin of a URL, such as `https://push.example.org:8443`.
    static func origin(of url: String) -> String {
        let scheme = url.prefix { $0 != ":" }
        return "\(scheme)://" + url.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
    }

    /// Returns a push service's name for error texts: the host, and the port if there is one.
    private static func name(_ origin: String) -> Substring { origin.drop { $0 != "/" }.dropFirst(2) }
}

extension PushSender {
    /// Posts a push to a Web Push service (RFC 8030).
    private func sendWebPush(_ delivery: PushDelivery) async throws(MessageFailure) {
        let address = delivery.address
        let keys = WebPushEncryption(publicKey: address.keys?.p256dh ?? "", auth: address.keys?.auth ?? "")
        guard let body = try? keys?.encrypt(delivery.payload.encoded()) else {
            throw .final("The subscription's keys p256dh and auth are not valid; the app must subscribe again.")
        }
        var request = WebClient.Request(url: address.address)
        do throws(Rejection) {
            request.outbound = (outbound, try outbound.check(address.address, field: "push.address"))
        } catch {
            throw .final("addressNotAllowed: \(error.message)")
        }
        let origin = Self.origin(of: address.address)
        let now = clock()
        guard let token = try? delivery.key.authorization(for: origin, subject: delivery.settings.subject, at: now)
        else { throw .refused("The app's key for Web Push can't sign.") }
        request.body = ("application/octet-stream", body)
        request.mayBegin = delivery.mayBegin
        request.headers = [
            ("Content-Encoding", "aes128gcm"), ("TTL", "\(delivery.seconds(from: now))"), ("Urgency", "high"),
            ("Authorization", token),
        ]
        // A repeated push replaces its predecessor if the push service hasn't delivered the predecessor yet.
        if delivery.id.utf8.count <= 32 { request.headers.append(("Topic", delivery.id)) }
        let answer = try await call(request)
        switch answer.status {
        case 200...299: return
        case 404, 410: throw .gone
        case 413: throw .final("The push service answered 413: the notification is too long.")
        case 401, 403:
            throw .refused(
                "The push service answered \(answer.status): it refuses the app's key. The app must subscribe again "
                    + "with the vapidKey of app/info, and push.webpush.subject must be a contact."
            )
        default: throw .refused("The push service answered \(answer.status).")
        }
    }
}

extension PushDelivery {
    /// The title of the notification.
    var title: JSONValue { payload["title"] ?? "" }
    /// The text of the notification.
    var text: JSONValue { payload["text"] ?? "" }
    /// The payload without title and text.
    var data: [JSONObject.Member] { payload.members.filter { $0.key != "title" && $0.key != "text" } }

    /// Returns the number of seconds for which the push service may keep the push.
    func seconds(from now: Int64) -> Int64 { max(0, expiresAt.milliseconds / 1_000 - now) }
}
