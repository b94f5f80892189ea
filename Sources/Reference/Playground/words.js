// All texts of the page, in English and Chinese. Texts with numbers or names are functions.

const en = {
  tag: "en",
  title: "Try it",
  lead: "A lamp and an app, both in this page. Each has a connection of its own to the broker, and nothing here is pretended: "
    + "the lamp is a device of this service, the app a terminal, and the messages between them are below.",
  otherLanguage: "中文",
  mqttOff: "MQTT over WebSocket is off here, so a page can't connect.",
  mqttOffCure: "Switch it on with the setting",
  mqttOffRestart: "and start the service again.",
  noService: "No service answers behind these pages: they are copies. Start one with",
  noServiceThen: "and open",
  failed: "The playground could not start:",
  again: "Try again",
  keysTitle: "Which app, which product?",
  keysLead: "This service gives away no keys here: it has no demo, or you come from elsewhere than its own machine. Enter an app's "
    + "(lamplighter app import) and, for a lamp in this page, those of a product with the demo's data points.",
  appId: "App id", appSecret: "App secret", productKey: "Product key", productSecret: "Product secret",
  optional: "may be left out", begin: "Begin",
  lamp: "The lamp", app: "The app", service: "Service",
  noLamp: "Without a product's key there is no lamp here.",
  phase: {
    unplugged: "unplugged", connecting: "connecting", registering: "registering", online: "online", away: "no connection, trying again",
  },
  lampIs: (values, isHot) => `${values.power ? `On, ${values.brightness} %, ${en.modes[values.mode] ?? values.mode}` : "Off"}, ${values.temperature.toFixed(1)} °C`
    + (isHot ? ", too hot" : ""),
  modes: { white: "white", warm: "warm", color: "colour", night: "night" },
  press: "Press its switch", unplug: "Pull the plug", plugIn: "Plug it in", cover: "Cover it", uncover: "Uncover it",
  coverHint: "It grows too hot and says so: an alert.",
  identity: "Its label", did: "Device id", passcode: "Passcode", mac: "MAC",
  identityHint: "An app proves with the passcode that the lamp is at hand.",
  waitingReports: count => count === 1 ? "1 report without an answer yet" : `${count} reports without an answer yet`,
  refusedFor: code => `The service refused it: ${code}`,
  appPhase: { connecting: "connecting", open: "connected", closed: "no connection, trying again", refused: "refused" },
  asUser: (uid, isAnonymous) => isAnonymous ? `${uid}, without an account` : uid,
  login: "Log in", step1: "Log in", step2: "Bind the lamp", step3: "Watch and control",
  done: "done",
  withoutAccount: "Without an account", withAccount: "With an account",
  username: "User name", password: "Password", register: "Make an account", logout: "Log out",
  passwordHint: "At least 8 characters, not a common one.",
  loginHint: "An anonymous user lives on this terminal alone; it may become an account later.",
  bind: "Bind", bindHint: "This takes the lamp beside it; or enter what stands on another device's label.",
  freshLamp: "Take a new lamp",
  bindAnother: "Bind another device", unbind: "Unbind", noDevices: "No device is bound yet.",
  online: "online", offline: "offline", asOf: time => `as of ${time}`, version: number => `version ${number}`,
  reportedAt: time => `reported ${time}`,
  power: "Power", brightness: "Brightness", mode: "Mode", temperature: "Temperature",
  on: "on", off: "off", set: "Set",
  queue: "Keep it for a lamp that is away (mode queue)",
  sending: "On its way…",
  outcome: {
    done: (cid, ms) => `Done: the device carried out command ${cid} after ${ms} ms.`,
    failed: (cid, ms, code) => `Failed: command ${cid}, ${code ?? "no code"}.`,
    expired: cid => `Expired: no answer to command ${cid} came in time.`,
    superseded: cid => `Superseded: newer values took the place of command ${cid}.`,
    queued: cid => `Queued: command ${cid} waits for the device.`,
    sent: cid => `Sent: command ${cid} is under way.`,
  },
  answered: ms => `Answered after ${ms} ms.`,
  refused: code => `Refused: ${code}.`,
  noAnswer: "No answer came in time. The same request may be sent again.",
  more: "About this code",
  messages: "What travels", messagesLead: "From top to bottom in time. Choose a message to read it whole; those that belong together are marked. "
    + "Secrets are masked.",
  show: "Show", everything: "Everything", pause: "Pause", resume: "Go on", clear: "Clear",
  paused: count => `Paused; ${count} since then`,
  newer: count => count === 1 ? "1 newer message" : `${count} newer messages`,
  nothingYet: "Nothing has travelled yet.",
  topic: "Topic", payload: "Payload", noPayload: "empty: what was retained is taken away", time: "Time",
  toService: who => `${who} to service`, fromService: who => `service to ${who}`,
  sameCall: "This call in five languages",
  kinds: {
    connecting: name => `connects as ${name}`, open: "is let in", refused: code => `is refused, reason code ${code}`, closed: "connection ended",
    subscribe: count => `subscribes to ${count} ${count === 1 ? "topic" : "topics"}`,
    request: method => `asks ${method}`, repeated: method => `asks ${method} again, same id`,
    ok: method => `answer to ${method}`, error: (method, code) => `refuses ${method}: ${code}`,
    register: "registers", registered: "gets an identity",
    report: "reports", obeys: cid => `carried out command ${cid}`, alert: (name, isOn) => isOn ? `alert: ${name}` : `alert over: ${name}`,
    stored: version => `stored, version ${version}`, notStored: code => `not stored: ${code}`,
    command: cid => `command ${cid}`, query: cid => `asks for a report, command ${cid}`,
    status: version => `status, version ${version}`, gone: "status taken away", event: type => `event: ${type}`,
    outcome: (cid, state) => `command ${cid}: ${state}`, other: kind => kind,
  },
  anyMethod: "Any method", anyMethodLead: "Each request of the contract, from this app, with its session.",
  method: "Method", example: "Fill in", needsSession: "It needs a session: log in first.", own: "your own",
  required: "required", form: "Params", json: "Params as JSON", notJSON: reason => `This is no JSON object: ${reason}`,
  noParams: "It takes no params.", send: "Send", answer: "Answer", inReference: "In the reference",
  hintJSON: "JSON", absent: "absent", yes: "true", no: "false",
  code: "The same call to copy", language: "Language", copy: "Copy", copied: "Copied",
  notCopied: "The browser does not allow it; the text is selected.",
  codeLead: "Secrets are masked here and whole in the copy.",
  setup: "What it needs", setupFiles: file => `The file ${file} beside it, and these variables; with them it acts as this page's terminal, `
    + "whose connection it takes for a moment:",
  setupElsewhere: "The variables are described in the reference; here the broker's own port is not told.",
};

const zh = {
  tag: "zh",
  title: "试一试",
  lead: "本页里有一盏灯和一个应用，各有自己的连接。这里没有任何假装：灯是本服务的一台真设备，应用是一个真终端，它们之间的消息都在下面。",
  otherLanguage: "English",
  mqttOff: "这里没有打开 WebSocket 上的 MQTT，网页无法连接。",
  mqttOffCure: "请用这个设置打开：",
  mqttOffRestart: "然后重新启动服务。",
  noService: "这些页面背后没有服务，它们只是副本。请启动服务：",
  noServiceThen: "然后打开",
  failed: "无法开始：",
  again: "重试",
  keysTitle: "用哪个应用、哪个产品？",
  keysLead: "本服务不在这里给出密钥：没有演示，或者您不是从本机访问。请输入应用的密钥（lamplighter app import）；"
    + "若要本页里的灯，再输入一个数据点与演示相同的产品的密钥。",
  appId: "应用标识", appSecret: "应用密钥", productKey: "产品标识", productSecret: "产品密钥",
  optional: "可以不填", begin: "开始",
  lamp: "灯", app: "应用", service: "服务",
  noLamp: "没有产品密钥，这里就没有灯。",
  phase: { unplugged: "已拔下", connecting: "正在连接", registering: "正在注册", online: "在线", away: "没有连接，正在重试" },
  lampIs: (values, isHot) => `${values.power ? `开，${values.brightness} %，${zh.modes[values.mode] ?? values.mode}` : "关"}，${values.temperature.toFixed(1)} °C`
    + (isHot ? "，过热" : ""),
  modes: { white: "白光", warm: "暖光", color: "彩光", night: "夜灯" },
  press: "按它的开关", unplug: "拔下插头", plugIn: "插上插头", cover: "盖住它", uncover: "揭开它",
  coverHint: "它会过热，并报告一个告警。",
  identity: "它的标签", did: "设备标识", passcode: "配对码", mac: "MAC",
  identityHint: "应用用配对码证明灯就在手边。",
  waitingReports: count => `还有 ${count} 条上报没有得到回答`,
  refusedFor: code => `服务拒绝了它：${code}`,
  appPhase: { connecting: "正在连接", open: "已连接", closed: "没有连接，正在重试", refused: "被拒绝" },
  asUser: (uid, isAnonymous) => isAnonymous ? `${uid}，没有账号` : uid,
  login: "登录", step1: "登录", step2: "绑定灯", step3: "查看与控制",
  done: "已完成",
  withoutAccount: "不用账号", withAccount: "用账号",
  username: "用户名", password: "密码", register: "注册账号", logout: "退出登录",
  passwordHint: "至少 8 个字符，不能是常见密码。",
  loginHint: "匿名用户只存在于这个终端，以后可以变成账号。",
  bind: "绑定", bindHint: "这里填的是旁边的灯；也可以输入另一台设备标签上的内容。",
  freshLamp: "换一盏新灯",
  bindAnother: "绑定另一台设备", unbind: "解除绑定", noDevices: "还没有绑定设备。",
  online: "在线", offline: "离线", asOf: time => `截至 ${time}`, version: number => `版本 ${number}`,
  reportedAt: time => `上报于 ${time}`,
  power: "电源", brightness: "亮度", mode: "模式", temperature: "温度",
  on: "开", off: "关", set: "设置",
  queue: "灯不在线时保留命令（mode queue）",
  sending: "正在路上…",
  outcome: {
    done: (cid, ms) => `完成：设备在 ${ms} 毫秒后执行了命令 ${cid}。`,
    failed: (cid, ms, code) => `失败：命令 ${cid}，${code ?? "没有代码"}。`,
    expired: cid => `过期：命令 ${cid} 没有及时得到回答。`,
    superseded: cid => `已被取代：更新的值代替了命令 ${cid}。`,
    queued: cid => `排队：命令 ${cid} 等待设备上线。`,
    sent: cid => `已发出：命令 ${cid} 正在路上。`,
  },
  answered: ms => `${ms} 毫秒后得到回答。`,
  refused: code => `被拒绝：${code}。`,
  noAnswer: "没有及时得到回答。可以再次发送同一请求。",
  more: "关于这个代码",
  messages: "往来的消息", messagesLead: "时间自上而下。选择一条消息可以完整阅读；相关的消息会标出。密钥已遮盖。",
  show: "显示", everything: "全部", pause: "暂停", resume: "继续", clear: "清空",
  paused: count => `已暂停；此后有 ${count} 条`,
  newer: count => `还有 ${count} 条新消息`,
  nothingYet: "还没有消息。",
  topic: "主题", payload: "内容", noPayload: "空：取消保留的消息", time: "时间",
  toService: who => `${who}到服务`, fromService: who => `服务到${who}`,
  sameCall: "用五种语言写这个调用",
  kinds: {
    connecting: name => `以 ${name} 连接`, open: "获准连接", refused: code => `被拒绝，原因码 ${code}`, closed: "连接结束",
    subscribe: count => `订阅 ${count} 个主题`,
    request: method => `请求 ${method}`, repeated: method => `再次请求 ${method}，同一 id`,
    ok: method => `回答 ${method}`, error: (method, code) => `拒绝 ${method}：${code}`,
    register: "注册", registered: "得到身份",
    report: "上报", obeys: cid => `执行了命令 ${cid}`, alert: (name, isOn) => isOn ? `告警：${name}` : `告警结束：${name}`,
    stored: version => `已存储，版本 ${version}`, notStored: code => `未存储：${code}`,
    command: cid => `命令 ${cid}`, query: cid => `请求上报，命令 ${cid}`,
    status: version => `状态，版本 ${version}`, gone: "状态已取消", event: type => `事件：${type}`,
    outcome: (cid, state) => `命令 ${cid}：${state}`, other: kind => kind,
  },
  anyMethod: "任何方法", anyMethodLead: "契约里的每个请求，由这个应用、以它的会话发出。",
  method: "方法", example: "填入", needsSession: "它需要会话：请先登录。", own: "自己填写",
  required: "必填", form: "参数", json: "参数（JSON）", notJSON: reason => `这不是 JSON 对象：${reason}`,
  noParams: "它没有参数。", send: "发送", answer: "回答", inReference: "在参考中",
  hintJSON: "JSON", absent: "不填", yes: "true", no: "false",
  code: "可复制的同一调用", language: "语言", copy: "复制", copied: "已复制",
  notCopied: "浏览器不允许复制；文字已选中。",
  codeLead: "密钥在这里被遮盖，复制的内容是完整的。",
  setup: "它需要什么", setupFiles: file => `旁边要有文件 ${file}，以及这些变量；有了它们，它就以本页的终端身份运行，并暂时占用它的连接：`,
  setupElsewhere: "变量在参考中有说明；这里不给出代理自己的端口。",
};

const KEY = "lamplighter.words";

function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The texts in the reader's language: the one chosen here, or the browser's. */
export const words = (kept() ?? navigator.language).startsWith("zh") ? zh : en;

/** Switches to the other language, for this visit and later ones. */
export function changeLanguage() {
  localStorage.setItem(KEY, words === zh ? "en" : "zh");
  location.reload();
}

/** The texts of both languages, for comparing them. */
export const all = { en, zh };
