package import Domain
package import Providers
package import Storage

extension Transaction {
    /// Returns an app's key for Web Push, derived from the installation's key.
    ///
    /// Several numbers are derived. The key is nil only if every number is invalid. In practice, this never happens.
    package func webPushKey(of app: AppID) -> VAPIDKey? {
        for number in 0..<8 {
            if let key = VAPIDKey(hash("\(app) \(number)", boundTo: "webpush")) { return key }
        }
        return nil
    }
}
