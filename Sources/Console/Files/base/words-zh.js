// 控制台的中文文字；与 words-en.js 一一对应。


export default {
  nav: { overview: '概览', live: '实时消息', refusals: '拒绝记录', devices: '设备', products: '产品', schedules: '定时任务', users: '用户', apps: '应用', messages: '发出的消息', system: '系统', deadletters: '死信', audit: '审计', docs: '参考文档', playground: '试用页面' },
  groups: { devices: '设备', people: '用户与应用', operation: '运行', more: '更多' },
  roles: { viewer: '查看者', operator: '操作员', admin: '管理员' },
  skip: '跳到内容', menu: '页面', pages: '页面', all: '全部', yes: '是', no: '否', more: '显示更多', again: '重试', edit: '编辑', copy: '复制', copied: '已复制', notCopied: '浏览器不允许复制', close: '关闭', cancel: '取消', later: '以后再说',
  undo: '撤销', undone: '已撤销', loading: '正在加载…', columns: '列', choose: '选择', chooseRow: id => `选择 ${id}`, showAll: '显示全部', why: '原因', online: '在线', offline: '离线',
  nothingFound: '没有匹配项', nothingFoundWhy: '没有一行同时满足这些条件。去掉一个条件，或只输入词的一部分。', needsRole: role => `需要“${role}”角色`, times: number => `${number} 次`,
  disappears: '此操作无法撤回。将消失的内容：', typeId: id => `输入 ${id} 以确认`,
  time: { now: '刚刚', days: number => `${number} 天` },
  problems: {
    failed: '操作未成功', unreachable: '服务没有应答', unreachableWhy: '它可能正在重新启动。页面保持原样。', forbidden: '您的角色权限不够', forbiddenWhy: '管理员可以在“审计 › 操作员”中为您更换角色。',
    missing: '这里什么都没有', missingWhy: '它已被删除，或地址有误。',
  },
  feed: { live: '实时', waiting: '正在连接…', asOf: time => `截至 ${time}`, paused: time => `已于 ${time} 暂停`, explain: '所见内容的新鲜程度。按一下暂停，再按继续（ . ）' },
  me: { menu: name => `${name}：设置与退出`, asSystem: '跟随系统明暗', light: '浅色', dark: '深色', password: '修改密码', operators: '操作员与会话', signOut: '退出', signIn: (from, client) => `有人以您的身份登录：${from}，${client}。如果不是您，请结束该会话。`, sessions: '查看会话' },
  keys: { title: '键盘快捷键', search: '搜索', rows: '下一行、上一行', open: '打开该行', back: '回到列表', pause: '暂停或继续实时更新', on: '启用单键快捷键' },
  search: { label: '搜索', devices: '搜索设备', suggestions: '建议' },
  enter: {
    title: '进入控制台', name: '名称', password: '密码', enter: '进入', useLink: '用链接进入', wrong: '名称与密码不符，或尚未设置密码。', linkExpired: '此链接已被使用，或 30 分钟已过', linkCure: '在运行服务的机器上用此命令生成新链接：',
    noPassword: '还没有密码？', reasons: { left: '您已退出。', expired: '会话已结束。重新进入后可从原处继续。', revoked: '您的会话已被操作员结束。' },
  },
  password: { title: '修改密码', first: '为下次设置密码', why: name => `${name} 可凭密码进入，无需链接。至少 10 个字符，用一句话最好。`, current: '当前密码', fresh: '新密码', set: '设置密码', done: '密码已设置；您的其他会话已结束' },
  states: { queued: '排队中', sent: '已发送', done: '完成', failed: '失败', expired: '已过期', superseded: '已被取代', missed: '已错过', pass: '通过', warn: '警告', fail: '失败', skip: '跳过', accepted: '已接受', refused: '已拒绝', dead: '死信', waiting: '等待中', retrying: '重试中' },
  kinds: { bool: '是或否', int: '整数', float: '数字', enum: '枚举', string: '文本', raw: '字节', any: '任意' },
  actors: { user: '用户', device: '设备', schedule: '定时任务', operator: '操作员', system: '服务', erased: '已删除的用户', somebody: '某人' },
  overview: {
    health: '健康状况', states: { ok: () => '所有已接受的上报都已存储。没有需要您处理的事。', attention: number => `所有已接受的上报都已存储。有 ${number} 件事需要您处理。`, failing: number => `出现故障：有 ${number} 件事需要您立即处理。` },
    reports: '每秒上报数', online: '在线设备', oldest: '最久未应答工作的时长', outbox: '条消息等待代理', refusals: '今日拒绝', deadLetters: '今日死信', users: '用户', alerting: '有告警或故障的设备',
    commands: '最近 24 小时的指令', noCommands: '还没有指令。应用、定时任务或您都可以发送：打开一个设备即可。', changes: '最近的变更', noChanges: '还没有。', since: '启动于',
  },
  guide: {
    title: '第一步', done: '已完成',
    product: { title: '描述一个产品', text: '产品说明其设备能上报什么、能接受什么指令。' }, registered: { title: '连接一个设备', text: '设备用产品密钥注册一次，得到自己的身份。手边没有设备？浏览器可以扮演一个。' },
    reported: { title: '查看它的首次上报', text: '设备以自己的身份连接并上报数值。' }, bound: { title: '绑定到用户', text: '应用让用户登录，并用设备口令绑定设备。' },
    switched: { title: '开关它', text: '打开设备并切换一个值：指令、应答与新状态会即时出现。' },
  },
  connect: {
    title: '连接设备', about: '选择产品，并用 MAC 指明设备。', mac: 'MAC（12 位十六进制）', macForm: '12 位十六进制数，可带冒号', anyMac: '随机生成', next: '显示命令', simulated: '没有设备？在浏览器中模拟一个',
    noProduct: '还没有产品。请先创建一个：它说明设备能做什么。', run: '在设备上，或在终端中代替设备运行：', language: '语言', kinds: { mosquitto: 'mosquitto', python: 'Python', c: 'C' }, thenReport: '然后用应答中的 DID 与 SECRET：', keep: '两者都要保存：这是设备的身份',
    secretWhere: '将 PRODUCT_SECRET 换成产品密钥，它只在创建时显示过；可在“产品”中生成新的。', progress: '进展', waiting: '等待它的第一条消息…', since: '开始于', refused: '它被拒绝了：',
    steps: { registered: '已注册', connected: '已以自己的身份连接', reported: '首次上报已存储' }, openDevice: '打开设备', label: '贴在外壳上的标签：应用扫描它来绑定设备。', saveLabel: '保存标签', qr: text => `二维码：${text}`, another: '另一个设备',
  },
  devices: {
    device: '设备', product: '产品', state: '状态', changed: '最近变化', alerts: '告警', alert: '有告警', fault: '有故障', anyAlert: '任何告警', anyFault: '任何故障', owner: '所有者', firmware: '固件', registered: '已自行注册', seen: '上线或离线于', seenLess: '不到一小时前', seenMore: '一天多以前', alerting: '有告警或故障', unregistered: '从未注册',
    byState: '按状态', none: '还没有设备', noneWhy: '设备用产品密钥注册后会出现在这里。', chosen: number => `已选 ${number} 个`, labels: '标签', forgetMany: number => `删除 ${number} 个设备`, forgotten: number => `已删除 ${number} 个设备`, kicked: number => `已关闭 ${number} 个连接`,
  },
  device: {
    views: '视图', tabs: { state: '状态', timeline: '时间线', commands: '指令', history: '历史', who: '用户', schedules: '定时任务', messages: '消息', info: '信息' }, gone: '此设备已被删除。显示的是最后已知的内容。', since: '自', version: number => `版本 ${number}`, lastReport: '最近变化',
    knownBy: { gate: '（网关看到连接）', device: '（由设备自己的上线或遗嘱消息）', nothing: '（从未上线）' }, kick: '关闭连接', kicked: '已通知代理关闭连接', reset: '允许 10 分钟内恢复出厂', resetAllowed: '设备可在 10 分钟内重新注册', forget: '删除…', forgetTitle: '删除此设备', forgotten: '设备已删除',
    loses: { device: '设备、其状态与密钥', users: names => `${names} 的访问权限`, records: number => `${number} 条历史记录`, commands: number => `${number} 条指令`, schedules: number => `${number} 个定时任务`, invitations: number => `${number} 个邀请` },
  },
  secret: { title: '生成新密钥', rotate: '新密钥…', loses: ['当前密钥：此后用它连接会被拒绝'], fresh: '新密钥', once: '只显示这一次。现在就写入设备或应用。', kept: '我已保存' },
  state: { none: '没有数据点', noneWhy: '产品没有声明数据点，设备也还没有上报。', toProduct: '查看产品', secret: '只能设置；从不上报，也从不显示。', never: '从未上报', setBy: '设置者：', wanted: '期望值：', set: name => `设置 ${name}`, send: '发送', sent: (name, value, state) => `${name} → ${value}：${state}`, toHistory: name => `${name} 的历史` },
  timeline: {
    kinds: '种类', names: { report: '上报', command: '指令', event: '事件', binding: '用户', refusal: '拒绝', act: '操作员' }, none: '还没有发生任何事', noneWhy: '上报、指令、事件、绑定与拒绝会以句子的形式出现在这里。',
    report: values => ['上报了 ', values], command: (who, values) => [who, ' 请求 ', values], after: time => `用时 ${time}`, refusal: (reason, times, why) => [`被拒绝：${reason}`, times > 1 ? `，${times} 次` : '', ' · ', why],
    events: {
      alert: name => `告警“${name}”`, alertCleared: name => `告警“${name}”已解除`, fault: name => `故障“${name}”`, faultCleared: name => `故障“${name}”已解除`, online: () => '上线', offline: (name, cause) => ['离线', cause ? `：${cause}` : ''],
      historyLimited: () => '上报超过每日保存量：当天其余部分不再记录',
    },
    bindings: { bound: (who, values) => [who, ' 获得访问权限 ', values], invited: (who, values) => [who, ' 邀请了他人 ', values], other: (who, values, type) => [who, `：${type} `, values] },
  },
  causes: { closed: '它主动断开', lost: '它失去了联系', kicked: '因权限或操作员而断开', takenOver: '同一标识的另一连接接替了它', DeviceOffline: '设备离线', DeviceTimeout: '设备未及时应答', Forbidden: '不被允许', NotBound: '发送者已无访问权限', Expired: '已过期', PolicyRejected: '被设备或策略拒绝', InvalidRequest: '数值与产品不符', TooManyRequests: '一次太多', Unavailable: '服务暂时无法接受' },
  commands: { what: '内容', query: '请求其状态', who: '发送者', state: '状态', steps: '步骤', expires: '到期', result: '应答', late: '过期后才应答', code: number => `代码 ${number}`, by: { asker: '（请求）', device: '（设备）', system: '（服务）' }, none: '还没有指令', noneWhy: '应用、定时任务和您都可发送指令。“状态”页上每个可设置的值都有控件。' },
  info: {
    about: '关于', created: '创建于', registered: '注册于', owned: '当前所有权始于', users: '用户', open: '进行中的指令', secret: '有密钥', certificates: '证书自此有效', reset: '允许恢复出厂至', connection: '连接编号', run: '本次运行', listens: '开始接收指令于', hardware: '硬件',
    grants: '网关当前授予的权限', grantsWhat: '设备只能在这些主题中发布和接收。', publishes: '可发布', receives: '可接收', label: '标签', acts: '操作',
  },
  history: {
    range: '范围', ranges: { hour: '小时', day: '天', week: '周', month: '月', quarter: '3 个月', year: '年' }, zone: '时区', points: most => `数据点（最多 ${most} 个）`, none: '未选择', noneWhy: '请在上方选择一个数据点。', empty: '这段时间没有上报', emptyWhy: '请选择更长的范围。上报的保存时间由产品决定。',
    caption: (step, zone) => `每 ${step} 一个点，按 ${zone} 的日历。色带从最小值到最大值。拖动，或按 + 与 − 缩放。`, cut: '记录太多：图表提前结束。', now: '回到现在', table: '以表格显示', at: '时间', columns: { min: '最小', mean: '平均', max: '最大', last: '最后' }, reports: '上报数',
  },
  chart: { label: names => `${names} 的图表`, keys: '用方向键或指针查看数值', nothing: '无' },
  who: {
    user: '用户', role: '角色', roles: { special: '首位所有者', owner: '所有者', normal: '用户', guest: '访客' }, roleWhat: { special: '最先绑定者；可分享', owner: '可分享', normal: '也绑定了它', guest: '受邀请' }, access: '可以', accesses: { control: '控制', read: '查看' }, alias: '称呼', since: '自', until: '至', always: '一直', hears: '接收状态',
    none: '没有人可以访问', noneWhy: '用户在应用中用口令或标签绑定设备。', invitations: '邀请', invited: '受邀者', inviter: '邀请者', byCode: '持有码的人', statuses: { pending: '等待中', accepted: '已接受', rejected: '已拒绝', expired: '已过期', revoked: '已撤回' }, remark: '备注',
  },
  live: {
    messages: '消息', masked: '机密在离开服务前已被遮盖；每秒最多显示 50 条消息。', filter: '按主题、客户端或原因筛选', outcome: '结果', pause: '暂停', goOn: '继续', branches: '按分支', talkers: '消息最多者', only: branch => `仅 ${branch}`, pinned: '已固定', pin: topic => `固定 ${topic}`, unpin: '取消固定', left: number => `此后还有 ${number} 条未显示`, notYet: '代理服务器尚未允许控制台连接', notYetWhy: '正在重试。如果一直如此，lamplighter doctor 会说明原因。', quiet: '半分钟内没有消息',
    waiting: '正在监听…', waitingWhy: '打开此页后还没有消息，打开于', lastWas: '最后一条在', ways: { in: '发往服务', out: '来自服务' }, hidden: size => `${size}，不显示`,
  },
  refusals: {
    about: '谁的什么请求被拒绝、由哪条规则、以及怎么办。', search: '搜索拒绝记录', reason: '规则', action: '尝试的操作', client: '客户端标识', user: '用户名', address: '来源地址', byReason: '按规则', none: '7 天内没有拒绝', noneWhy: '设备或应用被拒时会立即出现在这里，并附规则与办法。', noneOfDevice: '此设备没有被拒绝过。',
    wanted: { connect: '想要连接', publish: '想要发布到', subscribe: '想要订阅', receive: '本应收到' }, from: address => `来自 ${address}`, rule: '规则：', cure: '办法：', copyCure: '复制办法', allow: mac => `允许 ${mac}`, allowed: mac => `${mac} 现在可以注册`, since: '始于', newDevice: '新设备',
  },
  actions: { connect: '连接', publish: '发布', subscribe: '订阅', receive: '接收' },
  reasons: {
    noUsername: '没有用户名', noPassword: '没有密码', badUsername: '用户名格式不明', badClientId: '客户端标识与用户名不符', badSecret: '密码错误', unknownPrincipal: '没有这个名称', terminalOfOtherApp: '终端属于另一应用', sessionTokenRequired: '需要会话令牌', tooManyNewClients: '同一地址的新客户端太多',
    credentialsUnavailable: '网关没有凭据', certificateRevoked: '证书已吊销', notAllowed: '主题不属于该客户端', retainNotAllowed: '不允许保留标志', badTopic: '主题格式错误', reservedTopic: '保留主题', sharedNotAllowed: '共享订阅', sessionRequired: '需要会话', noLongerAllowed: '权限已失去', ownRequest: '自己的请求',
    tooFast: '消息太多', addressTooFast: '同一地址的消息太多', overloaded: '服务过载', tooManySubscriptions: '订阅太多', filterNotAllowed: '不允许的过滤器', tooManyLevels: '主题层级太多', originNotAllowed: '来自其他来源的网页', handshakeFailed: 'TLS 握手失败', tooManyConnections: '连接太多', NotListed: 'MAC 不在名单中',
  },
  rules: {
    noUsername: ['每个客户端都要表明身份：product:KEY、device:DID、app:APPID 或 service:NAME。', '在客户端设置用户名；“lamplighter up”会打印示例。'], noPassword: ['用户名格式正确，但还需要密钥。', '设置密码：产品、设备或应用的密钥，或会话令牌。'],
    badUsername: ['必须是 product:KEY、device:DID、app:APPID 或 service:NAME。', '检查用户名与密码是否颠倒。'], badClientId: ['产品用 MAC 或 IMEI 连接，设备用 did，终端用 32 位十六进制数。', '把客户端标识设为该类客户端应有的值。'],
    badSecret: ['名称存在，但密钥不同。重新注册的设备有新密钥；已结束的会话没有密钥。', '用旧密钥重新注册设备，或让用户重新登录。'], unknownPrincipal: ['此安装中没有该产品、设备、应用或服务，或已被删除。', '用“lamplighter product list”“device list”或“app list”查看；被删除的设备可重新注册。'],
    terminalOfOtherApp: ['终端标识属于最先使用它的应用。', '让应用的每个安装随机生成自己的标识，只生成一次。'], sessionTokenRequired: ['应用密钥可能被提取；会话期间只有其令牌能以该终端连接。', '用会话令牌连接；若已丢失，以新终端连接并重新登录。'],
    tooManyNewClients: ['同一地址每分钟只接纳有限数量的新客户端（broker.newClientsPerMinute）。', '等一分钟；若是产线，请提高该设置。'], notAllowed: ['客户端只能在自己的少数主题中发布和订阅。', '对照 schemas/channels.yaml 检查主题；注意根、did 与终端标识。'],
    retainNotAllowed: ['保留的消息会比内容活得更久；只有服务可以发布。', '发布与遗嘱都不要带保留标志。'], sessionRequired: ['只有用户在该终端登录时，终端才能收到 user/{uid}/#。', '先登录，用会话令牌连接，再订阅。'], noLongerAllowed: ['已被删除、密钥已更换或会话已结束；连接被关闭。', '用新凭据重新连接：注册设备，或登录。'],
    tooFast: ['每个连接的消息与字节都有速率上限；持续十秒则关闭连接。', '让客户端等待应答，并以递增的间隔重试；若确有需要，提高该类客户端的设置。'],
  },
  products: {
    name: '名称', add: '新产品', edit: name => `编辑 ${name}`, export: '导出', key: '键', points: '数据点', point: '名称', kind: '类型', access: '访问', accesses: { rw: '读与设', ro: '只读', wo: '只设，不显示' }, limits: '范围', unit: '单位', used: '上报过的设备', step: number => `步长 ${number}`, longest: number => `最长 ${number}`, free: '未声明：设备可上报任意内容。',
    registration: '注册', registrations: { open: '任何 MAC', listed: '仅名单中的 MAC' }, reset: '恢复出厂由谁允许', resets: { owner: '所有者', open: '离线时任何人', operator: '操作员' }, bind: '远程绑定', binds: { claim: '在设备上确认', secret: '设备密钥' }, changed: '修改于', none: '还没有产品', noneWhy: '产品说明其设备能上报什么、能接受什么指令。从示例开始修改。',
    macs: '可注册的 MAC', newMacs: '一个或多个 MAC', allow: '允许', allowed: number => `已允许 ${number} 个 MAC`, notYet: '尚未', historyDays: '历史天数', faults: '故障', addPoint: '添加数据点', removePoint: name => `删除 ${name}`, stepName: '步长', longestName: '最长', words: '可选值', noMacs: '没有：任何设备都不能注册。',
  },
  document: {
    form: '表单', about: '与命令行所用的文档相同。保存前会显示改变的内容。', notJSON: '这不是 JSON', look: '显示改变', save: '保存', saveAnyway: '仍然保存', problems: '会被拒绝：', breaks: '会影响：', devices: number => `${number} 个设备`, isNew: '它是新的；其他不变。', nothing: '没有改变。',
    why: { pointRemoved: '被删除：不再接受它的值', pointHidden: '不再显示', kindChanged: '类型改变', rangeNarrowed: '范围变窄', wordsRemoved: '减少了可选值', readOnly: '不能再设置', conditionRemoved: '被删除：不能再触发', providerRemoved: '被删除：其用户无法再登录', sessionsShorter: '会话提前结束' },
  },
  apps: { name: '名称', add: '新应用', sessions: '活动会话', providers: '提供方', worked: '上次成功', failed: '上次失败', trial: '试验', tryIt: '试一下', off: '未启用', policies: '策略', document: '文档', none: '还没有应用', noneWhy: '应用需要标识与密钥，用户才能登录。' },
  policies: {
    revealAccounts: { true: '应答可以透露账号是否存在。', false: '应答从不透露账号是否存在。' }, emailRegistration: { code: '账号建立前用验证码验证邮箱。', link: '账号立即建立，之后用链接验证邮箱。', confirm: '账号立即建立，并发送确认信。' }, emailVerification: { true: '用户可查看并验证邮箱。', false: '不提供邮箱验证。' },
    phoneRegistration: { true: '可用手机号注册。', false: '不可用手机号注册。' }, uidLogin: { true: '应用自带用户标识。', false: '用户标识由本服务生成。' }, usernameChangeable: { true: '用户名可以修改。', false: '用户名不可修改。' }, anonymous: { keep: '匿名用户退出后保留。', discard: '匿名用户退出后删除。' },
    cancelProof: { true: '注销账号需要密码或验证码。', false: '注销账号只需会话。' }, sessionDays: days => (typeof days === 'number' ? `会话有效 ${days} 天。` : '会话时长由服务决定。'),
  },
  users: {
    user: '用户', app: '应用', email: '邮箱', phone: '手机', region: '区域', country: '国家代码', anonymous: '匿名', verified: '地址已验证', isVerified: '已验证', isNotVerified: '未验证', seen: '最近出现', search: '搜索用户', none: '还没有用户', noneWhy: '应用让用户登录后，用户会出现在这里。', about: '关于', hasPassword: '密码', homes: '家庭',
    locked: '已锁定', lockedWhy: '多次密码或验证码错误后，该用户须等待才能再试。', unlock: '解锁', unlocked: '用户可以再试', cancelled: '已注销', deletes: '用户已注销账号；删除于', keep: '保留', kept: '账号已保留',
    sessions: '会话', terminal: '终端', isLive: '活动', hasEnded: '已结束', cutOff: '切断', cutAfter: time => `${time} 后`, login: '自', end: '结束', endAll: '结束全部会话', ended: '会话已结束', endingAll: '该用户的全部会话将结束', noSessions: '没有会话', noSessionsWhy: '用户没有在任何地方登录，近期也没有结束的会话。',
    noDevices: '没有设备绑定到该用户。', inFull: '显示地址', export: '导出', erase: '删除…', eraseTitle: '删除此用户', erased: '用户已删除', losesAccount: '账号、会话与地址', losesDevices: number => `对 ${number} 个设备的访问`, losesNames: '每条记录中的用户名称', happened: '发生过的事', nothing: '还没有。',
  },
  endReasons: { loggedOut: '已退出', terminated: '用户在别处结束', expired: '已到期', passwordChanged: '密码已修改', passwordReset: '密码已重置', accountCancelled: '账号已注销', replaced: '同一终端重新登录', operator: '由操作员结束' },
  messages: { to: '收件人', template: '内容', templates: { code: '验证码', verifyEmail: '验证邮箱的链接', resetPassword: '重置密码的链接', addressTaken: '地址已被占用', confirmation: '确认信', addressChanged: '地址已更改', passwordChanged: '密码已修改', cancelled: '账号已注销', test: '测试消息' }, code: '验证码或链接', channel: '渠道', provider: '发送方式', tries: '尝试次数', ended: '结束于', next: '下次尝试', test: '测试消息', toForm: '邮箱地址，或如 +86 13800138000 的号码。', channels: { email: '邮件', sms: '短信' }, ways: { log: '写入日志', gateway: '网关', smtp: 'SMTP', webhook: 'webhook' }, resend: '立即发送', resent: '正在尝试', none: '没有消息', noneWhy: '用户请求的验证码与链接会出现在这里。发送方式是一项设置。', toSettings: '发送设置' },
  schedules: {
    day: '前一天与后一天', quiet: '一天之内没有运行。', all: '全部定时任务', due: '将运行', gone: '任务已删除', clocks: (zone, hours) => `${zone}：时钟${hours > 0 ? '拨快' : '拨慢'} ${Math.abs(hours)} 小时`, cut: '还有未显示的。', search: '搜索定时任务', enabled: '启用', rule: '时间', does: '内容', next: '下次', last: '上次运行', paused: '已暂停', never: '从未', everyDay: '每天', monthDays: days => `每月 ${days} 日`,
    none: '还没有定时任务', noneWhy: '用户在应用中创建定时任务；即使应用关闭也会在此运行。', one: '定时任务', misfire: '若错过', misfires: { skip: '略过', run: '尽快运行一次' }, why: '将运行于', noMore: '不再运行：日期已过。', isPaused: '暂停期间不运行。', runs: '运行记录', lateBy: seconds => `晚了 ${seconds} 秒`, pause: '暂停', resume: '继续', pausedNow: '任务已暂停', resumed: '任务继续', runNow: '立即运行', ran: '指令已发送',
  },
  dead: {
    about: '按原样永远无法执行的消息。', search: '搜索死信', topic: '主题', reason: '原因', worker: '工作者', size: '大小', at: '时间', byReason: '按原因', none: '7 天内没有坏消息', noneWhy: '无法读取或执行的消息会连同原因保存在这里。', one: '死信', shapeOnly: '内容可能机密，只保留了名称与大小：无法重放。', binary: '内容不是文本：', here: '从这里开始出错',
    example: '保存为测试示例', replay: '重放', replayed: '已重新发布', drop: '丢弃', dropped: '已丢弃',
  },
  system: {
    tabs: { doctor: '诊断', workers: '工作者', store: '存储', limits: '限制', config: '设置', certificates: '证书', log: '日志' }, bundle: '支持包', bundled: names => `已保存：${names}`, again: '重新检查', check: '检查', evidence: '结果', code: '代码', took: '用时', ready: '就绪', notReady: '未就绪', broker: '代理', gateLag: '网关滞后', noLag: '无',
    batch: '每轮消息数', commit: '提交', window: '窗口占用', received: '已接收', database: '数据库', engine: '引擎', walSize: '预写日志', free: '磁盘剩余', diskLow: '不足', checkpoint: '检查点', checkpointed: '日志已写入数据库', backups: '备份', lastBackup: '上次', noBackup: '从未', file: '文件', every: '自动间隔', notByItself: '不自动', directory: '目录', noDirectory: '无：请设置 backup.directory', backup: '立即备份', backedUp: '备份已完成',
    rows: '行数', table: '表', limit: '限制', value: '值', used: '使用中', rejected: '因此拒绝', findSetting: '查找设置', onlyChanged: '只看与默认不同的', noFile: '没有读取配置文件。', setting: '设置', default: '默认', origin: '来源', environment: '变量', masked: '••••', noCertificates: '没有证书：一切仅在本机', use: '用途', names: '名称', until: '至', from: '自', endsSoon: '即将到期', concerns: '问题',
    level: level => `日志级别为 ${level}。`, levelUntil: level => `恢复为 ${level} 于`, newLevel: '持续 10 分钟', setLevel: '设置', levelSet: '级别已设置 10 分钟',
  },
  audit: {
    rows: '操作记录', search: '搜索审计', kind: '种类', act: '操作员的操作', operatorAct: '操作员操作', subject: '对象', beforeAfter: '前后对比', none: '还没有', noneWhy: '操作员、用户与服务的改动记录在这里。', operators: '操作员', operator: '操作员', sessions: '会话', tokens: '脚本令牌', tokenName: '令牌名称', noTokens: '还没有令牌。脚本在每个请求中出示令牌。', add: '添加操作员', addToken: '生成令牌', days: '有效天数',
    role: '角色', roleWhat: '查看者不能更改，地址被遮盖；操作员可控制并结束会话；管理员掌管密钥与操作员。', link: '一次性链接', linkOnce: name => `${name} 可用它进入一次。有效 30 分钟，截止`, makeLink: '新链接', revoke: '结束会话', revoked: name => `${name} 的全部会话已结束`, remove: '删除…', removed: '操作员已删除', removeTitle: '删除此操作员', loses: '会话、链接与令牌立即失效', changed: '角色已更改', you: '您',
    thisOne: '当前', client: '浏览器', address: '地址', way: '进入方式', ways: { link: '链接', password: '密码' }, idle: '闲置至此结束', used: '最近使用', revokeToken: '吊销', tokenRevoked: '令牌已吊销',
  },
  acts: {
    title: '操作', forgetDevice: '删除了设备', commandDevice: '发送了指令', kickDevice: '关闭了连接', rotateDeviceSecret: '更换了设备密钥', allowReset: '允许了恢复出厂', addProduct: '添加了产品', changeProduct: '修改了产品', rotateProductSecret: '更换了产品密钥', allowMacs: '允许了 MAC', addApp: '添加了应用', changeApp: '修改了应用', rotateAppSecret: '更换了应用密钥',
    eraseUser: '删除了用户', endSessions: '结束了全部会话', endSession: '结束了会话', unlockUser: '解锁了用户', undoCancellation: '保留了已注销的账号', exportUser: '导出了用户', showUser: '查看了地址', setPassword: '设置了密码', addOperator: '添加了操作员', changeOperator: '更改了角色', removeOperator: '删除了操作员', makeLink: '生成了一次性链接', revokeOperator: '结束了操作员的会话',
    endOperatorSession: '结束了一个操作员会话', makeToken: '生成了令牌', revokeToken: '吊销了令牌', signIn: '登录了', signOut: '退出了', enter: '用链接进入', dropDeadLetter: '丢弃了死信', replayDeadLetter: '重放了死信', resendMessage: '重新发送了消息', sendTestMessage: '发送了测试消息', tryProvider: '试验了提供方', changeSchedule: '暂停或恢复了定时任务', runSchedule: '运行了定时任务', makeBackup: '做了备份', checkpoint: '做了检查点', setLogLevel: '设置了日志级别', makeSupportBundle: '生成了支持包', exportAudit: '导出了审计',
  },
  audits: {
    registered: '注册了', converted: '成为具名用户', adopted: '接管了匿名用户', loggedIn: '登录了', loginFailed: '登录失败', codeSent: '请求了验证码', codeFailed: '验证码错误', linkSent: '请求了链接', passwordChanged: '修改了密码', passwordReset: '重置了密码', passwordFailed: '密码错误', addressChanged: '更改了地址', addressVerified: '验证了地址', addressTaken: '使用了已被占用的地址',
    addressRestored: '撤回了地址更改', usernameChanged: '更改了用户名', providerLinked: '关联了身份提供方', providerUnlinked: '取消了身份提供方', logoutCodeMade: '生成了退出码', sessionEnded: '结束了会话', cancellationRequested: '注销了账号', cancellationUndone: '撤回了注销', erased: '已删除',
  },
};
