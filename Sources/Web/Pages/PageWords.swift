import Domain

/// The texts of the pages in one language.
struct PageWords: Sendable {
    /// The texts of the page for one kind of link.
    struct Texts: Sendable {
        var title: String
        /// The question; `{address}` is the masked address.
        var ask: String
        var button: String
        var doneTitle: String
        var done: String
    }

    /// The tag of the language in HTML.
    var tag: String
    /// The replacement for an unknown app's name.
    var service: String
    var verifyEmail: Texts
    var resetPassword: Texts
    var undoAddress: Texts
    var overTitle: String
    var over: String
    var busyTitle: String
    var busy: String
    /// The prefix of the title after an error.
    var error: String
    var password: String
    var again: String
    var rule: String
    var differs: String
    var length: String
    var weak: String

    /// Returns the texts for a kind of link.
    func texts(_ kind: Link.Kind) -> Texts {
        switch kind {
        case .verifyEmail: verifyEmail
        case .resetPassword: resetPassword
        case .undoAddress: undoAddress
        }
    }

    /// Returns the message about a refused password.
    func fault(_ fault: LinkView.BadPassword) -> String {
        switch fault {
        case .differs: differs
        case .length: length
        case .weak: weak
        }
    }

    /// Returns the words of a language.
    static func of(_ language: Language) -> PageWords {
        switch language {
        case .english: english
        case .chinese: chinese
        }
    }

    private static let english = PageWords(
        tag: "en",
        service: "Account",
        verifyEmail: Texts(
            title: "Confirm your e-mail address",
            ask: "Is {address} your address? Then confirm it.",
            button: "Confirm address",
            doneTitle: "Your address is confirmed",
            done: "Thank you. You can close this page and continue in the app."
        ),
        resetPassword: Texts(
            title: "Choose a new password",
            ask: "For the account of {address}. Every device will be logged out.",
            button: "Set password",
            doneTitle: "Your password is set",
            done: "Every device was logged out. Log in to the app with the new password."
        ),
        undoAddress: Texts(
            title: "Take your address back",
            ask:
                "Your account gets {address} back. Every device is logged out, and anything added with "
                + "the change or since is removed: a password, a phone number or e-mail address, a "
                + "login with another service.",
            button: "Take it back",
            doneTitle: "The change is undone",
            done: "The account has its old address again and every device was logged out. Set a "
                + "new password in the app now, with a code."
        ),
        overTitle: "This link no longer works",
        over: "It was used, it has expired, or the account has changed since. "
            + "Ask for a new one in the app.",
        busyTitle: "Please try again in a minute",
        busy: "The service is busy right now. The link stays valid.",
        error: "Error:",
        password: "New password",
        again: "New password again",
        rule: "8 to 128 characters, and not easily guessed.",
        differs: "The two passwords differ. Type the same one twice.",
        length: "A password has 8 to 128 characters.",
        weak: "This password is easily guessed. Choose another."
    )

    private static let chinese = PageWords(
        tag: "zh-Hans",
        service: "帐号",
        verifyEmail: Texts(
            title: "验证您的邮箱",
            ask: "{address} 是您的邮箱吗？如果是，请确认。",
            button: "确认邮箱",
            doneTitle: "邮箱已验证",
            done: "谢谢。您可以关闭此页面，返回应用继续使用。"
        ),
        resetPassword: Texts(
            title: "设置新密码",
            ask: "为 {address} 的帐号设置新密码。所有设备都会退出登录。",
            button: "设置密码",
            doneTitle: "密码已设置",
            done: "所有设备已退出登录，请用新密码登录应用。"
        ),
        undoAddress: Texts(
            title: "恢复您的联系方式",
            ask: "您的帐号将恢复为 {address}。所有设备会退出登录，更改前后新增的密码、手机号、邮箱和第三方登录将被清除。",
            button: "恢复",
            doneTitle: "更改已撤销",
            done: "帐号已恢复原来的联系方式，所有设备已退出登录。请立即在应用中用验证码设置新密码。"
        ),
        overTitle: "链接已失效",
        over: "链接已使用、已过期，或帐号信息已变更。请在应用中重新申请。",
        busyTitle: "请稍后再试",
        busy: "当前请求过多，链接仍然有效。",
        error: "错误：",
        password: "新密码",
        again: "再次输入新密码",
        rule: "8 至 128 个字符，请勿使用容易被猜到的密码。",
        differs: "两次输入的密码不一致，请重新输入。",
        length: "密码须为 8 至 128 个字符。",
        weak: "此密码容易被猜到，请换一个。"
    )
}
