import Metering

extension GateLimits {
    /// Returns the allowance of a principal; nil for one that is never counted.
    func allowance(of principal: Principal) -> Allowance? {
        switch principal {
        case .terminal: terminal
        case .device: device
        case .product: product
        case .service(let name): name == Admission.workerName ? nil : service
        }
    }
}

extension Principal {
    /// Whether its messages count against its source address.
    ///
    /// Those of a device with its own secret do not: hundreds of them stand behind one gateway or router.
    var isCountedByAddress: Bool {
        switch self {
        case .terminal, .product: true
        case .device, .service: false
        }
    }
}
