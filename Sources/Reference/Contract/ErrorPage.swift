import Domain

extension ErrorCode {
    /// The cause and the remedy of an error sent to an app or a device.
    var page: (cause: String, cure: String) {
        switch self {
        case .invalidRequest:
            (
                "The message breaks its schema, a rule between its members, or names a service or method that does not exist; `field` says which member.",
                "Correct the member that `field` names (a dotted path such as `params.data.power`). Sending the same again gets the same answer."
            )
        case .invalidToken:
            (
                "The request has no token, a token of another terminal, or one whose session has ended; `reason` says why it ended, while that is known.",
                "Log in again, and connect with the new token. Where `reason` is `terminated` or `passwordChanged`, tell the person."
            )
        case .invalidCredentials:
            (
                "The name, password, passcode, label or provider's proof is wrong, or there is no such account or device. The answer is the same for both.",
                "Let the person type it again. Wrong tries count, see [Limits of tries](limits.md#tries)."
            )
        case .invalidCode:
            (
                "The code is wrong, used, expired, was sent to another address, or for another purpose.",
                "Let the person type it again or have a new one sent with `account/sendCode`; give the `codeToken` of its answer too."
            )
        case .forbidden:
            (
                "The caller is known, but may not do this: a guest who shares, one with access `read` who controls, a device that has an owner.",
                "Show what the role allows ([roles](sharing.md#roles)); for a bound device that registers again see [Registering again](registration.md#again)."
            )
        case .resourceNotFound:
            (
                "What the request names does not exist for the caller, who may not know of others' things.",
                "Read the list again; it was removed or was never the caller's."
            )
        case .duplicated:
            (
                "The name, address, provider's account or invitation exists already.",
                "Choose another, or log in to the account that has it."
            )
        case .tooManyRequests:
            (
                "A [quota](limits.md#quotas) is used up, or too many tries were wrong.",
                "Wait for `retryAfter` seconds, then send the same again. Repeating earlier counts as well."
            )
        case .regionNotServed:
            (
                "The user's country or `region` belongs to another installation; the answer names the `region` and, where it is known, its `endpoint`.",
                "Connect to `endpoint` and ask there. Accounts of one region do not exist in another."
            )
        case .deviceOffline:
            (
                "The device is not connected, and the command was to be carried out now.",
                "Send it with `mode: \"queue\"`, or wait for `online` of the device's status."
            )
        case .deviceTimeout:
            (
                "The device is connected and did not answer in time.",
                "Ask again. The command may still have been carried out: its outcome tells."
            )
        case .notBound:
            (
                "The device is not bound to the caller. The same is said of devices that do not exist.",
                "Bind it first (`device/bind`), or read `device/list` again: a guest's time may be over."
            )
        case .notSubscribed:
            (
                "The caller has switched the device off with `device/subscribe`, and gets neither status nor command.",
                "Subscribe with `subscribed: true`."
            )
        case .notListed:
            (
                "The product takes only devices whose MAC an operator has listed.",
                "Have the operator run `lamplighter product allow` with the MAC."
            )
        case .expired:
            (
                "An invitation, QR code or label is past its time, answered or revoked.",
                "Ask for a new one."
            )
        case .policyRejected:
            (
                "A policy of the app forbids it: a way to log in that is off, or a password that is easily guessed.",
                "Read `app/info` for what the app offers; choose a stronger password."
            )
        case .unavailable:
            (
                "The worker of the method does not run, is too busy, or there is no room on the disk. The request had no effect.",
                "Send the same again, with the same `id`, after growing pauses."
            )
        case .internal:
            (
                "A fault of the service; its log has the details.",
                "Send the same again with the same `id`: it has its effect once. If it stays, tell the operator."
            )
        }
    }
}
