package import JSON

/// A kind of id, which determines the id's form.
package protocol IdentifierKind: Sendable {
    /// The kind's name in messages, such as `did`.
    static var name: String { get }
    /// A description of the id's form, which is used in the messages of refusals.
    static var form: String { get }
    /// Returns whether a string has the form of this kind of id.
    static func accepts(_ text: String.UTF8View) -> Bool
}

extension IdentifierKind {
    /// A description of the plain form, which is the default.
    package static var form: String { "1 to 64 of A–Z a–z 0–9 _ -" }
    /// Returns whether a string has the plain form, which is the default.
    package static func accepts(_ text: String.UTF8View) -> Bool { PlainForm.accepts(text) }
}

/// A valid id whose type includes its kind, so that it can't be passed as an id of another kind.
package struct Identifier<Kind: IdentifierKind>: Hashable, Sendable {
    /// The id as written on the wire and in the store.
    package let text: String

    /// Makes an id from a string with the kind's form, or otherwise returns nil.
    package init?(_ text: String) {
        guard Kind.accepts(text.utf8) else { return nil }
        self.text = text
    }

    /// Makes an id without a check, from a string that the service itself wrote.
    package init(trusted text: String) {
        self.text = text
    }
}

extension Identifier: Comparable, CustomStringConvertible, Showable {
    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
    package var description: String { text }
    package var shown: JSONValue { .string(text) }
}

/// The default form of ids: `[A-Za-z0-9_-]`, 1 to 64 characters.
package enum PlainForm {
    /// Returns whether a string has the plain form.
    package static func accepts(_ text: String.UTF8View) -> Bool {
        (1...64).contains(text.count)
            && text.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    /// Returns whether a string consists of a given number of lowercase hexadecimal digits.
    package static func isLowercaseHex(_ text: String.UTF8View, count: Int) -> Bool {
        text.count == count && text.allSatisfy(\.isLowercaseHex)
    }
}

/// The form of a device's id.
package enum DeviceKind: IdentifierKind {
    package static let name = "did"
}

/// A kind of id that consists of 32 lowercase hexadecimal digits.
package protocol HexKind: IdentifierKind {}

extension HexKind {
    package static var form: String { "32 of 0–9 a–f" }
    package static func accepts(_ text: String.UTF8View) -> Bool { PlainForm.isLowercaseHex(text, count: 32) }
}

/// The form of a product's key.
package enum ProductKind: HexKind {
    package static let name = "productKey"
}

/// The form of a terminal's id.
package enum TerminalKind: HexKind {
    package static let name = "terminalId"
}

/// The form of a hardware address: 12 lowercase hexadecimal digits, or an IMEI of 15 digits.
package enum MACKind: IdentifierKind {
    package static let name = "mac"
    package static let form = "12 of 0–9 a–f, or the 15 digits of an IMEI"
    package static func accepts(_ text: String.UTF8View) -> Bool {
        PlainForm.isLowercaseHex(text, count: 12) || (text.count == 15 && text.allSatisfy(\.isDigit))
    }
}

/// The form of a user's id.
package enum UserKind: IdentifierKind {
    package static let name = "uid"
}

/// The form of an app's id.
package enum AppKind: IdentifierKind {
    package static let name = "appId"
}

/// The form of the ids of sessions, invitations, keys, OAuth clients, homes, notifications, event subscriptions and the
/// messages that clients send.
package enum MessageKind: IdentifierKind {
    package static let name = "id"
}

/// A device's id, made by the service.
package typealias DeviceID = Identifier<DeviceKind>
/// A product's key.
package typealias ProductKey = Identifier<ProductKind>
/// A device's hardware address, which the device's maker assigned.
package typealias MAC = Identifier<MACKind>
/// A user's id, made by the service, unique across all apps.
package typealias UserID = Identifier<UserKind>
/// An app's id, given by the operator.
package typealias AppID = Identifier<AppKind>
/// A terminal's id, chosen at random by an app's installation.
package typealias TerminalID = Identifier<TerminalKind>
/// A session's id, made by the service.
package typealias SessionID = Identifier<MessageKind>
/// The id that a client gave to a report or a request.
package typealias MessageID = Identifier<MessageKind>
/// An invitation's id, made by the service.
package typealias SharingID = Identifier<MessageKind>
/// An API key's id, made by the service.
package typealias KeyID = Identifier<MessageKind>
/// An OAuth client's id, made by the service.
package typealias ClientID = Identifier<MessageKind>
/// A home's id, made by the service.
package typealias HomeID = Identifier<MessageKind>
/// A notification's id, made by the service.
package typealias NotificationID = Identifier<MessageKind>
