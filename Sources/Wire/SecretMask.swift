import Domain
package import JSON

/// A mask that removes passwords, codes, tokens and other secrets from payloads shown to people who watch messages.
///
/// Secrets are recognised by their names in the schemas, which a test compares. Requests to services that are not
/// `open`, such as `account`, show only names and sizes, since a secret may stand under a wrong name.
package struct SecretMask: Sendable {
    /// The names of data points that are write-only in any product, whose values are hidden.
    private let writeOnly: Set<String>

    /// The replacement of a secret.
    package static let hidden: JSONValue = "•••"

    /// The names of members that are always secret.
    package static let secrets: Set<String> = [
        "password", "newPassword", "oldPassword", "token", "accessToken", "identityToken",
        "codeToken", "authCode", "logoutCode", "ticket", "secret", "oldSecret", "appSecret",
        "productSecret",
        "clientSecret", "passcode", "claim", "credential", "deviceId", "qrCode", "qrText", "url",
        "key",
    ]

    /// The names of addresses, which only operators with full rights see whole.
    private static let addresses: Set<String> = [
        "email", "phone", "account", "pendingEmail", "pendingPhone", "to", "address", "value", "username", "userName",
        "name", "nickname", "latitude", "longitude",
    ]
    /// The names of members that are addresses only if they look like one.
    private static let maybeAddresses: Set<String> = [
        "account", "to", "value", "username", "userName", "name", "nickname",
    ]
    /// The services whose requests hold secrets only under the names of secrets.
    private static let open: Set<String> = ["device", "home", "share", "schedule"]

    /// Makes a mask that also hides the values of write-only data points.
    package init(writeOnly: Set<String> = []) { self.writeOnly = writeOnly }

    /// Returns a payload without its secrets; nil if the whole payload may be one.
    ///
    /// `levels` are the levels of its topic below the root.
    package func shown(_ payload: ArraySlice<UInt8>, on levels: [String]) -> JSONValue? {
        let kind = levels.first ?? ""
        guard let value = try? JSONValue.parse(payload) else {
            // Malformed JSON from a device is no secret; from other senders it may be one.
            return kind == "device" ? .string(String(decoding: payload, as: UTF8.self)) : nil
        }
        let isRequest = kind == "app" && levels.count > 3 && levels[3] == "request"
        if isRequest, levels.count < 5 || !Self.open.contains(levels[4]) { return Payload.shape(of: value) }
        if kind == "system", levels.count > 1, levels[1] == "outbound", levels.last != "result" {
            return masked(value, alsoHiding: ["params"], hidesCodes: true)
        }
        return masked(value, hidesCodes: kind == "app")
    }

    private func masked(_ value: JSONValue, alsoHiding more: Set<String> = [], hidesCodes: Bool) -> JSONValue {
        Self.map(value) { name, inner, outer in
            if Self.secrets.contains(name) || writeOnly.contains(name) || more.contains(name) { return Self.hidden }
            // An error's code is a word of the protocol; any other code that is a text grants access.
            guard hidesCodes, name == "code", inner.stringValue != nil, !outer.hasSuffix("rror") else { return nil }
            return Self.hidden
        }
    }

    /// Returns a value with masked addresses, for operators who may not see them whole.
    package static func withoutAddresses(_ value: JSONValue) -> JSONValue {
        map(value) { name, inner, _ in
            guard addresses.contains(name) else { return nil }
            if inner.doubleValue != nil, name == "latitude" || name == "longitude" { return hidden }
            guard let text = inner.stringValue else { return nil }
            let isAddress = !maybeAddresses.contains(name) || text.contains("@") || Phone.isLike(text)
            return isAddress ? .string(MaskedAddress.text(text)) : nil
        }
    }

    /// Replaces members at any depth by the result of `change` for their name, their value, and the name of the
    /// enclosing member.
    ///
    /// If the result is nil, the member stays and its own members are visited.
    private static func map(
        _ value: JSONValue,
        within outer: String = "",
        _ change: (_ name: String, _ value: JSONValue, _ outer: String) -> JSONValue?
    ) -> JSONValue {
        switch value {
        case .object(let object):
            .object(
                JSONObject(
                    members: object.members.map { member in
                        let new =
                            change(member.key, member.value, outer) ?? map(member.value, within: member.key, change)
                        return .init(key: member.key, value: new)
                    }
                )
            )
        case .array(let elements): .array(elements.map { map($0, within: outer, change) })
        default: value
        }
    }
}
