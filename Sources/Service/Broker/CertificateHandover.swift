/// Decides when the broker is given a certificate: what it is to read at its start, and what it is told of later.
///
/// Mosquitto reads its files when it starts, and again at SIGHUP, which would end it before it has come that far. So a
/// certificate that comes during a start is given when that has ended.
struct CertificateHandover<Material> {
    private var material: Material?
    private var isStarting = false
    /// Whether the present one came during the start.
    private var isLate = false

    init(_ material: Material?) { self.material = material }

    /// Notes that a start begins; returns what the broker's files must hold for it.
    mutating func begin() -> Material? {
        (isStarting, isLate) = (true, false)
        return material
    }

    /// Takes a new certificate; returns it where the broker is to be told at once.
    mutating func take(_ new: Material) -> Material? {
        material = new
        isLate = isStarting
        return isStarting ? nil : new
    }

    /// Notes that a start has ended; returns what came meanwhile, which a broker that runs is to be told of.
    mutating func end() -> Material? {
        defer { (isStarting, isLate) = (false, false) }
        return isLate ? material : nil
    }
}
