extension MessageText {
    /// Returns a template in English.
    static func english(_ template: OutgoingMessage.Template) -> Words {
        switch template {
        case .code:
            Words(
                subject: "{code} is your {app} code",
                text: """
                    Your code to {action}:

                    {code}

                    It works once, within {minutes} minutes. Don't share it: {app} never asks for it.

                    If you did not ask for it, you need not do anything.
                    """,
                sms: "{app}: {code} is your code to {action}. Valid {minutes} minutes. "
                    + "Don't share it."
            )
        case .verifyEmail:
            Words(
                subject: "Confirm your e-mail address for {app}",
                text: """
                    This e-mail address was entered in {app}, probably by you. Confirm that it is yours:

                    {url}

                    The link works once, within {hours} hours. If it was not you, ignore this message.
                    """,
                sms: "{app}: confirm your address: {url}"
            )
        case .resetPassword:
            Words(
                subject: "Set a new password for {app}",
                text: """
                    A new password was requested for your {app} account, probably by you. \
                    Choose one here:

                    {url}

                    The link works once, within {minutes} minutes. If it was not you, ignore this \
                    message; your password stays as it is.
                    """,
                sms: "{app}: set a new password: {url}"
            )
        case .addressTaken:
            Words(
                subject: "You already have a {app} account",
                text: """
                    A request, probably yours, tried to register this address with {app}, or to use it \
                    for another account. You already have an account: log in with it, or set a new \
                    password if you forgot yours.

                    If it was not you, you need not do anything.
                    """,
                sms: "{app}: this number has an account already. Log in with it."
            )
        case .confirmation:
            Words(
                subject: "Welcome to {app}",
                text: """
                    An account was made with {app} for this address. Confirm that it is yours:

                    {url}

                    The link works once, within {hours} hours. If it was not you, the address was \
                    mistyped. You need not do anything: unless you confirm it, the account can prove \
                    nothing about this address.
                    """,
                sms: "{app}: an account was made for this number."
            )
        case .addressChanged:
            Words(
                subject: "Your {app} address was changed",
                text: """
                    Your {app} account has a new address now: {address}. This one belongs to it no more.

                    If you did not do this, take it back:

                    {url}

                    The link works once, within {hours} hours. It also logs out every device.
                    """,
                sms: "{app}: your account has a new number or address, {address}. "
                    + "Not you? Take it back within {hours} hours: {url}"
            )
        case .passwordChanged:
            Words(
                subject: "Your {app} password was changed",
                text: """
                    The password of your {app} account was changed, and other devices were logged out.

                    If you did not do this, set a new password in the app with a code sent to this \
                    address.
                    """,
                sms: "{app}: your password was changed. Not you? Set a new one in the app."
            )
        case .cancelled:
            Words(
                subject: "Your {app} account will be erased",
                text: """
                    Your {app} account was cancelled. In {days} days it is erased with everything in it.

                    To keep it, log in before then.
                    """,
                sms: "{app}: your account will be erased in {days} days. Log in to keep it."
            )
        case .test:
            Words(
                subject: "A test message of {app}",
                text: """
                    This is a test message: an operator of {app} tries whether messages arrive.

                    You need not do anything.
                    """,
                sms: "{app}: this is a test message. You need not do anything."
            )
        }
    }

    /// Returns the purpose of a code, to follow "your code to".
    static func englishAction(_ purpose: String) -> String {
        switch purpose {
        case "login": "log in"
        case "register": "register"
        case "resetPassword": "set a new password"
        case "bind": "use this address for your account"
        case "logoutTerminal": "log out another device"
        default: "confirm what you are doing"
        }
    }

    /// Returns the caption of a link's button.
    static func englishButton(_ template: OutgoingMessage.Template) -> String {
        switch template {
        case .verifyEmail, .confirmation: "Confirm address"
        case .resetPassword: "Choose a new password"
        case .addressChanged: "Take it back"
        default: "Open"
        }
    }
}
