import Glibc

/// An error of a simulated client's connection, or of a measurement that uses the connection.
package enum LoadError: Error, Equatable {
    /// A failed system call, with its `errno`.
    case system(function: String, code: Int32)
    case protocolError
    /// The broker's refusal of a CONNECT packet, with the broker's return code.
    case refused(code: UInt8)
    case closed
    case timeout(String)
    case failed(String)
}

extension LoadError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .system(let function, let code): "\(function): \(String(cString: strerror(code)))"
        case .protocolError: "the broker sent data that is not MQTT"
        case .refused(let code): "the broker refused the connection (return code \(code))"
        case .closed: "the broker closed the connection"
        case .timeout(let what): "timed out: \(what)"
        case .failed(let what): what
        }
    }
}
