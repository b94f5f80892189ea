import JSON

/// An app's settings for push services, from the `push` object of its document.
package struct PushSettings: Sendable, Equatable {
    /// A service account of Firebase Cloud Messaging.
    package struct FCM: Sendable, Hashable {
        /// The id of the Firebase project.
        package var project: String
        /// The account's e-mail address.
        package var account: String
        /// The account's private RSA key as PEM.
        package var key: String
        /// The URL at which the account gets access tokens.
        package var tokenURL: String
        /// The root of the push service's API, without a final slash.
        package var baseURL: String
    }

    /// A signing key of Apple Push Notification service.
    package struct APNs: Sendable, Hashable {
        /// The id of the team that owns the key.
        package var team: String
        /// The key's id.
        package var keyID: String
        /// The private key as PEM, which Apple provides as a `.p8` file.
        package var key: String
        /// The bundle id of the app on Apple's devices.
        package var topic: String
        /// The root of the push service's API, without a final slash, or nil for Apple's own API.
        package var baseURL: String?
    }

    /// The settings for Firebase Cloud Messaging, if the app has any.
    package var fcm: FCM?
    /// The settings for Apple Push Notification service, if the app has any.
    package var apns: APNs?
    /// The contact that Web Push services get: a URL of the form `mailto:…` or `https://…`.
    package var subject: String?
    /// Whether pushes contain only the app's name and the notification's id, type and time.
    package var isHidden = false

    /// Makes settings with which only Web Push and gateways can be used.
    package init() {}

    /// The members that each object in the `push` object may have.
    package static let members = [
        "fcm": ["serviceAccount", "baseUrl"], "apns": ["teamId", "keyId", "key", "topic", "baseUrl"],
        "webpush": ["subject"],
    ]

    /// Returns whether the app has the settings that a kind of push service needs.
    package func has(_ kind: PushKind) -> Bool {
        switch kind {
        case .fcm: fcm != nil
        case .apns: apns != nil
        case .webpush, .gateway: true
        }
    }

    /// Parses the `push` object of an app document.
    ///
    /// - Throws: A `Rejection` that names the field at fault.
    package static func parse(_ fields: Fields) throws(Rejection) -> PushSettings {
        var settings = PushSettings()
        settings.fcm = try fields.fields("fcm").map(parse(fcm:))
        if let apns = try fields.fields("apns") {
            settings.apns = APNs(
                team: try apns.needed("teamId"),
                keyID: try apns.needed("keyId"),
                key: try apns.requiredText("key", length: 1...4_096),
                topic: try apns.needed("topic"),
                baseURL: try apns.url("baseUrl")
            )
        }
        if let web = try fields.fields("webpush"), let subject = try web.visibleText("subject") {
            guard subject.hasPrefix("mailto:") || subject.hasPrefix("https://") else {
                throw web.refuse("subject", "must begin with mailto: or https://")
            }
            settings.subject = subject
        }
        settings.isHidden = try fields.word("content", as: Content.self) == .hidden
        return settings
    }

    private enum Content: String, CaseIterable { case full, hidden }

    /// Parses the settings of Firebase Cloud Messaging, which contain the service account in Google's own format.
    private static func parse(fcm: Fields) throws(Rejection) -> FCM {
        let account = try fcm.required("serviceAccount", fcm.fields("serviceAccount"))
        return FCM(
            project: try account.needed("project_id"),
            account: try account.needed("client_email"),
            key: try account.requiredText("private_key", length: 1...16_384),
            tokenURL: try account.url("token_uri") ?? "https://oauth2.googleapis.com/token",
            baseURL: try fcm.url("baseUrl") ?? "https://fcm.googleapis.com"
        )
    }
}

extension Fields {
    fileprivate func needed(_ name: String) throws(Rejection) -> String { try required(name, visibleText(name)) }
}
