extension ErrorCode {
    /// The HTTP status of this refusal, for the console's API and HTTP requests.
    package var httpStatus: Int {
        switch self {
        case .invalidRequest, .invalidCode: 400
        case .invalidToken, .invalidCredentials: 401
        case .forbidden, .policyRejected, .notListed, .notBound, .notSubscribed, .regionNotServed: 403
        case .resourceNotFound: 404
        case .duplicated, .deviceOffline, .expired: 409
        case .deviceTimeout: 504
        case .tooManyRequests: 429
        case .unavailable: 503
        case .internal: 500
        }
    }
}
