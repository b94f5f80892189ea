/// The codes with which the service refuses (PROTOCOL section 3).
package enum ErrorCode: String, Sendable, CaseIterable {
    case invalidRequest = "InvalidRequest"
    case invalidToken = "InvalidToken"
    case invalidCredentials = "InvalidCredentials"
    case invalidCode = "InvalidCode"
    case forbidden = "Forbidden"
    case resourceNotFound = "ResourceNotFound"
    case duplicated = "Duplicated"
    case tooManyRequests = "TooManyRequests"
    case regionNotServed = "RegionNotServed"
    case deviceOffline = "DeviceOffline"
    case deviceTimeout = "DeviceTimeout"
    case notBound = "NotBound"
    case notSubscribed = "NotSubscribed"
    case notListed = "NotListed"
    case expired = "Expired"
    case policyRejected = "PolicyRejected"
    case unavailable = "Unavailable"
    case `internal` = "Internal"

    /// Tells whether the same request may well succeed when it is sent again.
    package var isPassing: Bool {
        self == .unavailable || self == .internal || self == .tooManyRequests
    }
}

/// A refusal, with all that its receiver needs to do better.
package struct Rejection: Error, Equatable, Sendable {
    /// The code that programs switch on.
    package var code: ErrorCode
    /// One sentence for people: what was wrong and what to do; never a secret.
    package var message: String
    /// The field at fault, as a path such as `params.data.power`.
    package var field: String?
    /// Why, in one word, where the contract gives words for it.
    package var reason: String?
    /// The region that was asked for, where it is not served.
    package var region: String?
    /// Where that region is served, where it is known.
    package var endpoint: String?
    /// After how many seconds another try makes sense.
    package var retryAfter: Int64?

    /// Makes a refusal.
    package init(
        _ code: ErrorCode,
        _ message: String,
        field: String? = nil,
        reason: String? = nil,
        retryAfter: Int64? = nil
    ) {
        self.code = code
        self.message = message
        self.field = field
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// Refuses a field of a request or a document.
    package static func invalid(_ field: String, _ message: String) -> Rejection {
        Rejection(.invalidRequest, message, field: field)
    }
}
