/// The decision when the broker gets a certificate: for its start, or later by a reload.
///
/// Mosquitto reads its files at its start and again at SIGHUP, but a SIGHUP early in its start would end it. A
/// certificate received during a start is therefore handed over after the start.
struct CertificateHandover<Material> {
    private var material: Material?
    private var isStarting = false
    /// Whether the present certificate was received during the start.
    private var isLate = false

    init(_ material: Material?) { self.material = material }

    /// Notes that a start begins; returns the certificate to write into the broker's files.
    mutating func begin() -> Material? {
        (isStarting, isLate) = (true, false)
        return material
    }

    /// Takes a new certificate; returns it if the broker must reload at once.
    mutating func take(_ new: Material) -> Material? {
        material = new
        isLate = isStarting
        return isStarting ? nil : new
    }

    /// Notes that a start has ended; returns a certificate received meanwhile, which a running broker must reload.
    mutating func end() -> Material? {
        defer { (isStarting, isLate) = (false, false) }
        return isLate ? material : nil
    }
}
