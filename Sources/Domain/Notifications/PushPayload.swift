package import JSON

/// The content of a push as it is sent: `notificationId`, `type`, `did`, `title`, `text` and `ts`.
package enum PushPayload {
    /// The maximum number of bytes of the encoded content.
    ///
    /// Push services accept 4,096 bytes. These bytes include the overhead of encryption and the members that a push
    /// service requires.
    private static let bytesMax = 3_600

    /// Returns a push's content, with the text cut to the size that push services accept.
    ///
    /// If the app hides content, the app's name is the title, the text is empty and no device is given.
    package static func shown(_ push: OutgoingPush, by app: App) -> JSONObject {
        var payload = (try? JSONValue.parse(push.payload).objectValue) ?? [:]
        if app.push.isHidden {
            payload["title"] = .string(app.name)
            payload["text"] = ""
            payload["did"] = nil
        }
        var text = payload["text"]?.stringValue ?? ""
        while payload.encoded().count > bytesMax, !text.isEmpty {
            text = String(text.unicodeScalars.prefix(text.unicodeScalars.count * 9 / 10))
            payload["text"] = .string(text + "…")
        }
        return payload
    }
}
