import Domain

extension ErrorCode {
    /// The cause and the remedy of an error sent to an app or a device.
    var page: (cause: String, cure: String) {
        switch self {
        case .invalidRequest:
            (
                "The message violates its schema or a rule between its members, or names a service or method that does not exist; `field` names the member.",
                "Correct the member that `field` names (a dotted path such as `params.data.power`). Sending the same message again gets the same answer."
            )
        case .invalidToken:
            (
                "The request has no token, a token of another terminal, or one whose session has ended; `reason` says why it ended, if that is known.",
                "Log in again, and connect with the new token. If `reason` is `terminated` or `passwordChanged`, tell the user."
            )
        case .invalidCredentials:
            (
                "The name, password, passcode, label or provider's proof is wrong, or there is no such account or device. The answer is the same for both.",
                "Let the user type it again. Wrong tries count, see [Limits of tries](limits.md#tries)."
            )
        case .invalidCode:
            (
                "The code is wrong, used or expired, or was sent to another address or for another purpose.",
                "Let the user type it again or request a new one with `account/sendCode`; also send the `codeToken` of its answer."
            )
        case .forbidden:
            (
                "The caller is known, but may not do this, such as a guest who shares the device, or a user with access `read` who controls it; or the device has an owner.",
                "Show what the role allows ([roles](sharing.md#roles)); for a bound device that registers again, see [Registering again](registration.md#again)."
            )
        case .resourceNotFound:
            (
                "The request names something that does not exist for the caller, who must not learn what others have.",
                "Read the list again; the object was removed or was never the caller's."
            )
        case .duplicated:
            (
                "The name, address, provider's account or invitation already exists.",
                "Choose another, or log in to the account that has it."
            )
        case .tooManyRequests:
            (
                "A [quota](limits.md#quotas) is used up, or too many tries were wrong.",
                "Wait for `retryAfter` seconds, then send the same request again. Earlier repeats count as well."
            )
        case .regionNotServed:
            (
                "The user's country or `region` belongs to another installation; the answer names the `region` and, if known, its `endpoint`.",
                "Connect to `endpoint` and send the request there. Accounts of one region do not exist in another."
            )
        case .deviceOffline:
            (
                "The device is not connected, but the command had to be carried out immediately.",
                "Send it with `mode: \"queue\"`, or wait for `online` of the device's status."
            )
        case .deviceTimeout:
            (
                "The device is connected but did not answer in time.",
                "Try again. The command may still have been carried out: its outcome shows this."
            )
        case .notBound:
            (
                "The device is not bound to the caller. Devices that do not exist get the same answer.",
                "Bind it first (`device/bind`), or read `device/list` again: a guest's access may have expired."
            )
        case .notSubscribed:
            (
                "The caller has unsubscribed from the device with `device/subscribe`, and gets neither its status nor its commands.",
                "Subscribe with `subscribed: true`."
            )
        case .notListed:
            (
                "The product accepts only devices whose MAC an operator has listed.",
                "Ask the operator to run `lamplighter product allow` with the MAC."
            )
        case .expired:
            (
                "An invitation, QR code or label has expired, was answered or was revoked.",
                "Ask for a new one."
            )
        case .policyRejected:
            (
                "A policy of the app forbids it: a disabled way to log in, or a password that is easily guessed.",
                "Read `app/info` for what the app offers; choose a stronger password."
            )
        case .unavailable:
            (
                "The method's worker is not running or is too busy, or the disk has no space. The request had no effect.",
                "Send the same request again, with the same `id`, after growing pauses."
            )
        case .internal:
            (
                "A fault of the service; its log has the details.",
                "Send the same request again with the same `id`: it has its effect once. If the error persists, tell the operator."
            )
        }
    }
}
