import Domain
import Files
import ServiceSettings
import Sodium

/// An attempt of `doctor` to connect as a stranger.
///
/// The gate refuses the attempt. The service recognises this refusal and doesn't count it. The attempt's client id
/// contains the present minute, and a mark computed from the service's secret. Strangers can't compute the mark, so the
/// service counts the refusals of strangers.
struct DoctorProbe: Sendable {
    /// The service's secret, or nil if the secret can't be read.
    ///
    /// Without the secret, the client id contains no mark, so the service counts the refusal.
    let secret: String?

    init(secret: String?) { self.secret = secret }

    /// Reads the secret of the service that uses a data directory.
    init(_ directory: DataDirectory, _ settings: Settings) {
        secret = try? SecretFile.read(settings.serviceSecretFile ?? directory.serviceSecret)
    }

    /// The beginning of the attempt's client id.
    static let name = "doctor-stranger"
    /// The maximum difference between the time in the client id and the present time, in minutes.
    private static let minutesMax: Int64 = 2

    /// Returns the client id for an attempt at the given time.
    func clientID(at now: Instant) -> String {
        let minute = Self.minute(of: now)
        guard let mark = mark(of: minute) else { return Self.name }
        return "\(Self.name).\(minute).\(mark)"
    }

    /// Returns whether a refusal results from an attempt that `doctor` made within `minutesMax` minutes of `now`.
    func isOurs(_ refusal: ClientRefusal, at now: Instant) -> Bool {
        let parts = refusal.clientID.split(separator: ".", omittingEmptySubsequences: false)
        guard refusal.action == "connect", refusal.username.isEmpty, parts.count == 3, parts[0] == Self.name,
            let minute = Int64(parts[1]), let mark = mark(of: minute)
        else { return false }
        let now = Self.minute(of: now)
        return (now - Self.minutesMax...now + Self.minutesMax).contains(minute) && parts[2] == mark
    }

    private static func minute(of moment: Instant) -> Int64 { moment.milliseconds / 60_000 }

    private func mark(of minute: Int64) -> String? {
        secret.map { secret in String(Sodium.hex(Sodium.sha256("\(Self.name) \(minute) \(secret)".utf8)).prefix(32)) }
    }
}
