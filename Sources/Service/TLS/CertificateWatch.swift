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

/// Takes new certificates while the service runs, and warns before one ends.
///
/// A pair that does not fit is told once and not taken: connections go on with the one before.
final class CertificateWatch: Service {
    /// What takes a new certificate: the broker, and the listeners of this process.
    typealias Taker = @Sendable (TLSMaterial) throws -> Void

    private let files: TLSFiles
    private let take: Taker
    private let logger: Logger
    private let state: Mutex<State>

    private struct State {
        var material: TLSMaterial
        /// What the files held when they were looked at last.
        var contents: [String?]
        /// Whether a pair that fits is still to be handed on.
        var isPending = false
        /// When ages were told last.
        var toldAt: Instant?
    }

    /// Watches the files that a certificate was read from.
    init(_ material: TLSMaterial, logger: Logger, take: @escaping Taker) {
        files = material.files
        self.take = take
        self.logger = logger
        state = Mutex(State(material: material, contents: Self.contents(of: material.files)))
    }

    /// Sets the gauges of the certificates' remaining times at each scrape.
    func install(in registry: PrometheusRegistry) {
        let label = "lamplighter_certificate_remaining_seconds"
        let meters = ["server", "authority"].map {
            Meter(label: label, dimensions: [("certificate", $0)], factory: registry)
        }
        registry.addSampler { [self] in
            let (now, material) = (SystemClock().now, state.withLock { $0.material })
            for (meter, facts) in zip(meters, [material.certificate, material.authority]) {
                guard let facts else { continue }
                meter.set((facts.end.milliseconds - now.milliseconds) / 1000)
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

    /// Takes what has changed, and tells once a day what ends soon.
    func look(at now: Instant) {
        let contents = Self.contents(of: files)
        let isChanged = state.withLock { state in
            guard state.contents != contents else { return false }
            (state.contents, state.isPending) = (contents, false)
            return true
        }
        if isChanged || state.withLock({ $0.isPending }) { reload(isFirst: isChanged) }
        let due = state.withLock { state in
            let isDue = state.toldAt.map { now >= $0.adding(seconds: 86_400) } ?? true
            if isDue || isChanged { state.toldAt = now }
            return isDue || isChanged
        }
        if due { tell(at: now) }
    }

    /// Reads the files and hands them on; what can't be handed on, such as on a full disk, is tried again at each look.
    private func reload(isFirst: Bool) {
        do {
            let material = try TLSMaterial(files)
            state.withLock { $0.isPending = true }
            try take(material)
            state.withLock { ($0.material, $0.isPending) = (material, false) }
            logger.notice(
                "took a new certificate",
                metadata: [
                    "certificate": "\(files.certificate)",
                    "until": "\(CertificateText.date(material.certificate.end))",
                ]
            )
        } catch {
            guard isFirst else { return }
            let problem = error as? Problem
            logger.error(
                "a new certificate cannot be used; the one before is kept",
                metadata: [
                    "certificate": "\(problem?.place ?? files.certificate)",
                    "reason": "\(problem?.why ?? "\(error)")",
                ]
            )
        }
    }

    private func tell(at now: Instant) {
        let material = state.withLock { $0.material }
        for (path, facts) in [
            (files.certificate, material.certificate), (files.authority, material.authority),
        ] {
            guard let facts, let warning = CertificateText.warning(facts, at: now) else { continue }
            let isUrgent = CertificateAge(facts, at: now) != .soon
            logger.log(
                level: isUrgent ? .error : .warning,
                "a certificate needs to be renewed",
                metadata: ["certificate": "\(path)", "reason": "\(warning)"]
            )
        }
    }

    /// Returns what the files hold: links to them may change, or what is behind the links.
    private static func contents(of files: TLSFiles) -> [String?] {
        [files.certificate, files.key, files.authority].map { TextFile.read($0) }
    }
}
