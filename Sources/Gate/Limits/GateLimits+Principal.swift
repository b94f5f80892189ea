import Metering

extension GateLimits {
    /// Returns how much may wait for a principal; nil for services.
    func heldLimit(of principal: Principal) -> HeldLimit? {
        switch principal {
        case .terminal: HeldLimit(bytes: terminalHeldBytes, messages: terminalHeldMessages)
        case .device, .product: HeldLimit(bytes: deviceHeldBytes, messages: deviceHeldMessages)
        case .service: nil
        }
    }

    /// Returns the allowance of an admitted connection; nil for the workers, which are never counted.
    func allowance(of pass: Admission.Pass) -> Allowance? { pass.isKey ? key : allowance(of: pass.principal) }

    /// Returns the allowance of a principal; nil for the workers, which are never counted.
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
    /// The app or product whose secret it can connect with; nil for others.
    var party: String? {
        switch self {
        case .terminal(_, let appId): appId
        case .product(let key, _): key
        case .device, .service: nil
        }
    }

    /// Whether its messages count against its source address.
    ///
    /// Messages of devices with their own secrets don't: hundreds of devices can be behind one gateway or router.
    var isCountedByAddress: Bool { party != nil }
}
