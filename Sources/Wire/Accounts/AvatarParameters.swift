package import Domain

/// The parameters of `account/setAvatar`.
package enum AvatarParameters: Sendable, Equatable {
    /// Sets a picture, given as base64 text.
    case set(String)
    /// Removes the picture.
    case remove

    /// Reads `data`; null removes the picture.
    package init(_ fields: Fields) throws(Rejection) {
        if fields.isNull("data") {
            self = .remove
        } else if let text = try fields.base64("data") {
            self = .set(text)
        } else {
            throw fields.refuse("data", "is missing")
        }
    }
}
