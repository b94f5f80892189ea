extension MessageText {
    /// Returns a template in Chinese.
    static func chinese(_ template: OutgoingMessage.Template) -> Words {
        switch template {
        case .code:
            Words(
                subject: "{app} 验证码：{code}",
                text: """
                    您正在{action}，验证码为：

                    {code}

                    验证码 {minutes} 分钟内有效，仅可使用一次。请勿告诉他人，{app} 不会向您索要验证码。

                    如非本人操作，请忽略此邮件。
                    """,
                sms: "【{app}】验证码 {code}，用于{action}，{minutes} 分钟内有效，请勿告诉他人。"
            )
        case .verifyEmail:
            Words(
                subject: "请验证您的 {app} 邮箱",
                text: """
                    有人（可能是您本人）在 {app} 中填写了此邮箱。请确认这是您的邮箱：

                    {url}

                    链接 {hours} 小时内有效，仅可使用一次。如非本人操作，请忽略此邮件。
                    """,
                sms: "【{app}】请验证您的地址：{url}"
            )
        case .resetPassword:
            Words(
                subject: "重设您的 {app} 密码",
                text: """
                    有人（可能是您本人）申请重设您的 {app} 帐号密码。请在此设置新密码：

                    {url}

                    链接 {minutes} 分钟内有效，仅可使用一次。如非本人操作，请忽略此邮件，您的密码不会改变。
                    """,
                sms: "【{app}】重设密码：{url}"
            )
        case .addressTaken:
            Words(
                subject: "您已有 {app} 帐号",
                text: """
                    有人（可能是您本人）尝试用此地址注册 {app}，或将其用于其他帐号。您已有帐号，请直接登录；如忘记密码，可重设密码。

                    如非本人操作，无需处理。
                    """,
                sms: "【{app}】此号码已有帐号，请直接登录。"
            )
        case .confirmation:
            Words(
                subject: "欢迎使用 {app}",
                text: """
                    已用此地址注册 {app} 帐号。请确认这是您的地址：

                    {url}

                    链接仅可使用一次，{hours} 小时内有效。如非本人操作，可能是他人填错了地址，无需处理：\
                    未经确认，该帐号无法证明拥有此地址。
                    """,
                sms: "【{app}】已用此号码注册帐号。"
            )
        case .addressChanged:
            Words(
                subject: "您的 {app} 联系方式已更改",
                text: """
                    您的 {app} 帐号已更换为新的联系方式：{address}，此地址不再属于该帐号。

                    如非本人操作，请撤销更改：

                    {url}

                    链接 {hours} 小时内有效，仅可使用一次。撤销后，所有设备都会退出登录。
                    """,
                sms: "【{app}】您的帐号已更换为 {address}。如非本人操作，请在 {hours} 小时内撤销：{url}"
            )
        case .passwordChanged:
            Words(
                subject: "您的 {app} 密码已更改",
                text: """
                    您的 {app} 帐号密码已更改，其他设备已退出登录。

                    如非本人操作，请在应用中用发送到此地址的验证码重设密码。
                    """,
                sms: "【{app}】您的密码已更改。如非本人操作，请在应用中重设密码。"
            )
        case .cancelled:
            Words(
                subject: "您的 {app} 帐号即将删除",
                text: """
                    您的 {app} 帐号已注销，{days} 天后将连同所有数据一并删除。

                    如需保留，请在此之前登录。
                    """,
                sms: "【{app}】您的帐号将在 {days} 天后删除，登录即可保留。"
            )
        case .test:
            Words(
                subject: "{app} 的测试消息",
                text: """
                    这是 {app} 的运营人员发送的测试消息。

                    您无需进行任何操作。
                    """,
                sms: "【{app}】这是一条测试消息，无需任何操作。"
            )
        }
    }

    /// Returns the purpose of a code.
    static func chineseAction(_ purpose: String) -> String {
        switch purpose {
        case "login": "登录"
        case "register": "注册"
        case "resetPassword": "重设密码"
        case "bind": "绑定此地址"
        case "logoutTerminal": "退出其他设备的登录"
        default: "进行身份验证"
        }
    }

    /// Returns the caption of a link's button.
    static func chineseButton(_ template: OutgoingMessage.Template) -> String {
        switch template {
        case .verifyEmail, .confirmation: "验证邮箱"
        case .resetPassword: "设置新密码"
        case .addressChanged: "撤销更改"
        default: "打开"
        }
    }
}
