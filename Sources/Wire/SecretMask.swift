import Domain
package import JSON

/// A mask that removes passwords, codes, tokens and other secrets from payloads before they are shown.
///
/// The mask recognises a secret by the name of the member that contains it. A test compares these names with the
/// schemas. For requests to a service that isn't in `open`, such as `account`, only names and sizes are shown, because
/// any member of such a request might contain a secret.
package struct SecretMask: Sendable {
    /// The names of the data points that are write-only in at least one product.
    private let writeOnly: Set<String>

    /// The text that replaces a secret.
    package static let hidden: JSONValue = "•••"

    /// The names of members that are always secret.
    package static let secrets: Set<String> = [
        "password", "newPassword", "oldPassword", "token", "accessToken", "identityToken",
        "codeToken", "authCode", "logoutCode", "ticket", "secret", "oldSecret", "appSecret",
        "productSecret",
        "clientSecret", "passcode", "claim", "credential", "deviceId", "qrCode", "qrText", "url",
        "key",
    ]

    /// The names of members with addresses, which only operators with full rights see unmasked.
    private static let addresses: Set<String> = [
        "email", "phone", "account", "pendingEmail", "pendingPhone", "to", "address", "value", "username", "userName",
        "name", "nickname", "latitude", "longitude",
    ]
    /// The names of members that are masked only if their values look like an address.
    private static let maybeAddresses: Set<String> = [
        "account", "to", "value", "username", "userName", "name", "nickname",
    ]
    /// The services whose values are shown, because their secrets can be recognised by the members' names.
    private static let open: Set<String> = ["device", "home", "share", "schedule"]

    /// Makes a mask that also hides the values of write-only data points.
    package init(writeOnly: Set<String> = []) { self.writeOnly = writeOnly }

    /// Returns a payload without its secrets, or nil if the whole payload could be a secret.
    ///
    /// `levels` are the levels of the message's topic below the root.
    package func shown(_ payload: ArraySlice<UInt8>, on levels: [String]) -> JSONValue? {
        let kind = levels.first ?? ""
        guard let value = try? JSONValue.parse(payload) else {
            // Malformed JSON from a device is shown. Malformed JSON from any other sender is hidden, because it could
            // contain a secret.
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
            // The `code` in an error is an error code, which isn't secret. Any other `code` that is a string grants
            // access, so it is hidden.
            guard hidesCodes, name == "code", inner.stringValue != nil, !outer.hasSuffix("rror") else { return nil }
            return Self.hidden
        }
    }

    /// Returns a value with masked addresses, for operators who aren't permitted to see complete addresses.
    package static func withoutAddresses(_ value: JSONValue) -> JSONValue {
        map(value) { name, inner, _ in
            guard addresses.contains(name) else { return nil }
            if inner.doubleValue != nil, name == "latitude" || name == "longitude" { return hidden }
            guard let text = inner.stringValue else { return nil }
            let isAddress = !maybeAddresses.contains(name) || text.contains("@") || Phone.isLike(text)
            return isAddress ? .string(MaskedAddress.text(text)) : nil
        }
    }

    /// Replaces members at any depth with the result of `change`.
    ///
    /// If the result is nil, the member stays, and the members inside it are visited.
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
