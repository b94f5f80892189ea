/// The disk space that must stay free.
package struct DiskReserve: Sendable {
    /// The part of the disk, in percent; 0 turns the check off.
    package var percent: Int
    /// The bytes that suffice on a disk of any size.
    package var bytesMax: Int64

    /// Sets the limits.
    ///
    /// 5 % is what Linux reserves for root. 2 GiB hold a quarter of an hour of reports at the highest measured rate (2
    /// MB a second), time enough for an alarm and a human.
    package init(percent: Int = 5, bytesMax: Int64 = 2 << 30) {
        self.percent = percent
        self.bytesMax = bytesMax
    }

    /// Returns the reserve for a disk of a size, in bytes.
    package func bytes(of total: Int64) -> Int64 { min(total / 100 * Int64(percent), bytesMax) }
}
