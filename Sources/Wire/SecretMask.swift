import Domain
package import JSON

/// What may be shown of payloads to people who watch messages travel: no password, code, token or other secret.
///
/// Names say what is secret, those of the schemas, which a test compares. Requests about accounts and sessions show
/// names and sizes alone: in them a secret may stand under a wrong name.
package struct SecretMask: Sendable {
    /// The data points of any product that are write-only: what they are given is not shown.
    private let writeOnly: Set<String>

    /// What stands in the place of a secret.
    package static let hidden: JSONValue = "•••"

    /// Names of what is secret wherever it stands.
    package static let secrets: Set<String> = [
        "password", "newPassword", "oldPassword", "token", "accessToken", "identityToken",
        "codeToken", "authCode", "logoutCode", "ticket", "secret", "oldSecret", "appSecret",
        "productSecret",
        "clientSecret", "passcode", "claim", "credential", "deviceId", "qrCode", "qrText", "url",
        "key",
    ]

    /// Names of addresses, which an operator with full rights alone sees whole.
    private static let addresses: Set<String> = [
        "email", "phone", "account", "pendingEmail", "pendingPhone", "to", "address", "value",
        "username", "userName", "name", "nickname", "latitude", "longitude",
    ]
    /// Those of them that are an address only where they look like one.
    private static let maybeAddresses: Set<String> = [
        "account", "to", "value", "username", "userName", "name", "nickname",
    ]
    /// The services whose requests have no secrets but those with a name of their own.
    private static let open: Set<String> = ["device", "home", "share", "schedule"]

    /// Hides what the names of write-only data points stand for as well.
    package init(writeOnly: Set<String> = []) { self.writeOnly = writeOnly }

    /// Returns a payload without its secrets, by the levels of its topic behind the root; nil where all of it may be one.
    package func shown(_ payload: ArraySlice<UInt8>, on levels: [String]) -> JSONValue? {
        let kind = levels.first ?? ""
        guard let value = try? JSONValue.parse(payload) else {
            // What a device says by mistake is no secret; what others do may be.
            return kind == "device" ? .string(String(decoding: payload, as: UTF8.self)) : nil
        }
        let isRequest = kind == "app" && levels.count > 3 && levels[3] == "request"
        if isRequest, levels.count < 5 || !Self.open.contains(levels[4]) {
            return Payload.shape(of: value)
        }
        if kind == "system", levels.count > 1, levels[1] == "outbound", levels.last != "result" {
            return masked(value, alsoHiding: ["params"], hidesCodes: true)
        }
        return masked(value, hidesCodes: kind == "app")
    }

    private func masked(
        _ value: JSONValue,
        alsoHiding more: Set<String> = [],
        hidesCodes: Bool
    ) -> JSONValue {
        Self.map(value) { name, inner, outer in
            if Self.secrets.contains(name) || writeOnly.contains(name) || more.contains(name) {
                return Self.hidden
            }
            // An error's code is a word of the contract; any other that is a text lets somebody in.
            guard hidesCodes, name == "code", inner.stringValue != nil, !outer.hasSuffix("rror")
            else { return nil }
            return Self.hidden
        }
    }

    /// Returns what operators see who may not see addresses whole.
    package static func withoutAddresses(_ value: JSONValue) -> JSONValue {
        map(value) { name, inner, _ in
            guard addresses.contains(name) else { return nil }
            if inner.doubleValue != nil, name == "latitude" || name == "longitude" { return hidden }
            guard let text = inner.stringValue else { return nil }
            let isAddress =
                !maybeAddresses.contains(name) || text.contains("@") || Phone.isLike(text)
            return isAddress ? .string(MaskedAddress.text(text)) : nil
        }
    }

    /// Replaces members, wherever they stand, by what `change` returns for their name, value, and the name of what they
    /// stand in; nil leaves one and goes on inside it.
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
                            change(member.key, member.value, outer)
                            ?? map(member.value, within: member.key, change)
                        return .init(key: member.key, value: new)
                    }
                )
            )
        case .array(let elements): .array(elements.map { map($0, within: outer, change) })
        default: value
        }
    }
}
