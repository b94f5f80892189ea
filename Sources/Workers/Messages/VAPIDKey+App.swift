package import Domain
package import Providers
package import Storage

extension Transaction {
    /// Returns an app's key for Web Push; the key is derived from the installation's key and therefore isn't stored.
    ///
    /// Several numbers are derived. If all of them are invalid as private keys, the key is nil; in practice, this never
    /// happens.
    package func webPushKey(of app: AppID) -> VAPIDKey? {
        for number in 0..<8 {
            if let key = VAPIDKey(hash("\(app) \(number)", boundTo: "webpush")) { return key }
        }
        return nil
    }
}
