import Certificates
import CoreMetrics
import Domain
import Files
import Logging
import Problems
import ServiceLifecycle
import Synchronization
import Web
import Workers

/// A service that loads new certificates, and warns before a certificate expires.
///
/// A new certificate isn't used if its key doesn't match, or if clients would refuse it although they accept the
/// present certificate. The fault is then reported once, and the present certificate and key stay in use.
final class CertificateWatch: Service {
    /// The function that gives a new certificate to the broker and to this process's listeners.
    typealias Taker = @Sendable (TLSMaterial) throws -> Void

    private let files: TLSFiles
    private let take: Taker
    private let logger: Logger
    private let state: Mutex<State>
    /// The devices' certificate authority, which the broker reads only when it starts.
    private let authorityAtStart: String?

    private struct State {
        var material: TLSMaterial
        /// The contents of the files at the last check.
        var contents: [[UInt8]?]
        /// Whether the files have a readable certificate and key that aren't in use yet.
        var isPending = false
        /// Whether the present contents of the files were refused.
        var isRefused = false
        /// The time of the last report about certificates that expire soon.
        var toldAt: Instant?
    }

    /// Prepares a watch on the files from which a certificate was read.
    init(_ material: TLSMaterial, logger: Logger, take: @escaping Taker) {
        files = material.files
        self.take = take
        self.logger = logger
        authorityAtStart = material.authorityPEM
        state = Mutex(State(material: material, contents: Self.contents(of: material.files)))
    }

    /// Registers gauges of the certificates' remaining and total periods of validity, updated at each scrape.
    func install(in registry: PrometheusRegistry) {
        func meters(_ label: String) -> [Meter] {
            ["server", "authority"].map { Meter(label: label, dimensions: [("certificate", $0)], factory: registry) }
        }
        let remaining = meters("lamplighter_certificate_remaining_seconds")
        let whole = meters("lamplighter_certificate_lifetime_seconds")
        let refused = Meter(label: "lamplighter_certificate_refused", factory: registry)
        registry.addSampler { [self] in
            let now = SystemClock().now
            let (material, isRefused) = state.withLock { ($0.material, $0.isRefused) }
            refused.set(isRefused ? 1 : 0)
            for (index, facts) in [material.certificate, material.authority].enumerated() {
                guard let facts else { continue }
                remaining[index].set((facts.end.milliseconds - now.milliseconds) / 1000)
                whole[index].set(facts.seconds)
            }
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                look(at: SystemClock().now)
                try? await Task.sleep(for: ServiceLimits.certificateInterval)
            }
        }
    }

    /// Loads a changed certificate and key, and once a day reports the certificates that expire soon.
    func look(at now: Instant) {
        let contents = Self.contents(of: files)
        let isChanged = state.withLock { state in
            guard state.contents != contents else { return false }
            (state.contents, state.isPending) = (contents, false)
            return true
        }
        if isChanged || state.withLock({ $0.isPending }) { reload(isFirst: isChanged, at: now) }
        let due = state.withLock { state in
            let isDue = state.toldAt.map { now >= $0.adding(seconds: 86_400) } ?? true
            if isDue || isChanged { state.toldAt = now }
            return isDue || isChanged
        }
        if due { tell(at: now) }
    }

    /// Reads the files, and gives the certificate and key to the broker and the listeners.
    ///
    /// The next check tries again if the certificate isn't valid yet, or if the broker or the listeners couldn't take
    /// the certificate, for example because the disk was full.
    private func reload(isFirst: Bool, at now: Instant) {
        do {
            let material = try TLSMaterial(files)
            state.withLock { $0.isPending = true }
            try checkValid(material, at: now)
            try take(material)
            let before = state.withLock { state in
                defer { (state.material, state.isPending, state.isRefused) = (material, false, false) }
                return state.material
            }
            logger.notice(
                "a new certificate is in use",
                metadata: [
                    "certificate": "\(files.certificate)", "until": "\(CertificateText.date(material.certificate.end))",
                ]
            )
            if before.authorityPEM != material.authorityPEM { tellOfAuthority(material) }
        } catch {
            state.withLock { $0.isRefused = true }
            guard isFirst else { return }
            let problem = error as? Problem
            logger.error(
                "a new certificate cannot be used; the previous one is kept",
                metadata: [
                    "certificate": "\(problem?.place ?? files.certificate)", "reason": "\(problem?.why ?? "\(error)")",
                ]
            )
        }
    }

    /// Throws a `Problem` if clients that accept the present certificate would refuse a new one.
    private func checkValid(_ material: TLSMaterial, at now: Instant) throws {
        let present = state.withLock { $0.material }
        for (path, next, former) in [
            (files.certificate, material.certificate as CertificateFacts?, present.certificate),
            (files.authority, material.authority, present.authority),
        ] as [(String, CertificateFacts?, CertificateFacts?)] {
            guard let next, let former, CertificateAge(former, at: now).isValid, !CertificateAge(next, at: now).isValid
            else { continue }
            throw TLSMaterial.problem(
                path,
                CertificateText.warning(next, at: now)?.description ?? "clients do not accept the certificate",
                cures: []
            )
        }
    }

    private func tellOfAuthority(_ material: TLSMaterial) {
        guard authorityAtStart != nil, material.authorityPEM != authorityAtStart else { return }
        logger.warning(
            "the authority of devices' certificates changed; the broker uses the new one after the service restarts",
            metadata: ["certificate": "\(files.authority)"]
        )
    }

    private func tell(at now: Instant) {
        for concern in state.withLock({ $0.material }).concerns(at: now) {
            logger.log(
                level: concern.isUrgent ? .error : .warning,
                "a certificate needs to be renewed",
                metadata: ["certificate": "\(concern.path)", "reason": "\(concern.text)"]
            )
        }
    }

    /// Returns the contents of the files; if a file is a symbolic link, the contents of its target.
    private static func contents(of files: TLSFiles) -> [[UInt8]?] {
        [files.certificate, files.key, files.authority].map { TextFile.readBytes($0) }
    }
}
