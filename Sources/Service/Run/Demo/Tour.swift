/// The first example as shell commands: a lamp reports, and an app switches it.
///
/// Each command is one line, quoted for sh, bash and zsh. Later commands use variables that earlier commands set.
package struct Tour {
    let host: String
    let port: Int
    let root: String
    let demo: DemoKeys
    /// The lamp's MAC address, new each time, since a bound lamp can't register again.
    let mac: String
    /// The terminal's id, new each time, since a terminal that has logged in can't connect with the app's secret.
    let terminal: String

    /// A command, with its effect in a few words.
    package struct Step {
        /// The effect of the command, in a few words.
        package let title: String
        /// The command to paste.
        package let command: String
    }

    /// All commands, in order.
    package var steps: [Step] {
        [
            Step(title: "a lamp registers", command: register), Step(title: "it reports", command: report),
            Step(title: "an app logs in", command: login),
            Step(
                title: "it binds the lamp",
                command: ask(
                    "device/bind",
                    id: "2",
                    parameters: #""did":"'$did'","passcode":"\#(passcode)""#
                )
            ),
            Step(title: "it sees the lamp", command: watch),
            Step(title: "the lamp listens for a command", command: listen),
            Step(
                title: "the app switches it on",
                command: ask("device/control", id: "3", parameters: #""did":"'$did'","data":{"power":true}"#)
            ),
        ]
    }

    private var passcode: String { "lamp-" + mac.prefix(6) }
    private var address: String { "-h \(host) -p \(port)" }
    private var space: String { "\(root)/app/\(demo.appID)/\(terminal)" }

    private var register: String {
        let topic = "\(root)/product/\(demo.productKey)/\(mac)/register"
        let ask =
            "mosquitto_rr \(address) -q 1 -i \(mac) -u product:\(demo.productKey)"
            + " -P '\(demo.productSecret)' -t \(topic) -e \(topic)ed"
            + #" -m '{"id":"1","mac":"\#(mac)","passcode":"\#(passcode)","hardware":{}}'"#
        return "lamp=$(\(ask)); did=\(field("did", of: "lamp"));" + " secret=\(field("secret", of: "lamp")); echo $lamp"
    }

    private var report: String {
        "mosquitto_rr \(address) -q 1 -i $did -u device:$did -P $secret"
            + " -t \(root)/device/$did/report -e \(root)/device/$did/response"
            + #" -m '{"id":"r1","data":{"power":false,"brightness":60,"temperature":21.5}}'"#
    }

    private var login: String {
        let ask =
            "mosquitto_rr \(address) -q 1 -i \(terminal) -u app:\(demo.appID)"
            + " -P '\(demo.appSecret)' -t \(space)/request/account/loginAnonymous"
            + #" -e \#(space)/response -m '{"id":"1","params":{"countryCode":"49"}}'"#
        return "app=$(\(ask)); token=\(field("token", of: "app"));" + " user=\(field("uid", of: "app")); echo $app"
    }

    private var watch: String {
        "mosquitto_sub \(address) -v -q 1 -C 1 -W 5 -i \(terminal) -u app:\(demo.appID)"
            + " -P $token -t \(root)/user/$user/device/$did/status"
    }

    private var listen: String {
        "mosquitto_sub \(address) -v -q 1 -C 1 -W 60 -i $did -u device:$did -P $secret"
            + " -t \(root)/device/$did/command & sleep 1"
    }

    private func ask(_ method: String, id: String, parameters: String) -> String {
        "mosquitto_rr \(address) -q 1 -i \(terminal) -u app:\(demo.appID) -P $token"
            + " -t \(space)/request/\(method) -e \(space)/response"
            + #" -m '{"id":"\#(id)","token":"'$token'","params":{\#(parameters)}}'"#
    }

    /// Returns shell code that extracts an answer's text field with tools that every system has.
    private func field(_ name: String, of variable: String) -> String {
        #"$(echo $\#(variable) | sed 's/.*"\#(name)":"//;s/".*//')"#
    }
}
