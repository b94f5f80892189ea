/// The decision about when the broker gets a certificate: before its start, or later by a reload.
///
/// Mosquitto reads its certificate files when it starts and when it gets SIGHUP. A SIGHUP early in the start would kill
/// Mosquitto. A certificate that arrives during the start is therefore handed over after the start.
struct CertificateHandover<Material> {
    private var material: Material?
    private var isStarting = false
    /// Whether the present certificate arrived while the broker was starting.
    private var isLate = false

    init(_ material: Material?) { self.material = material }

    /// Records that the broker will start, and returns the certificate to write to the broker's files, if any.
    mutating func begin() -> Material? {
        (isStarting, isLate) = (true, false)
        return material
    }

    /// Stores a new certificate, and returns it if the broker must load it at once.
    mutating func take(_ new: Material) -> Material? {
        material = new
        isLate = isStarting
        return isStarting ? nil : new
    }

    /// Records that the broker has started, and returns the certificate that arrived during the start, if any.
    mutating func end() -> Material? {
        defer { (isStarting, isLate) = (false, false) }
        return isLate ? material : nil
    }
}
