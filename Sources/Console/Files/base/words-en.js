// The console's words in English; words-zh.js has the same ones.

const many = (number, one, more) => (String(number) === '1' ? `1 ${one}` : `${number} ${more}`);

export default {
  nav: { overview: 'Overview', live: 'Live', refusals: 'Refusals', devices: 'Devices', products: 'Products', schedules: 'Schedules', users: 'Users', apps: 'Apps', messages: 'Messages out', system: 'System', deadletters: 'Dead letters', audit: 'Audit', docs: 'Reference' },
  groups: { devices: 'Devices', people: 'People', operation: 'Operation', more: 'More' },
  roles: { viewer: 'viewer', operator: 'operator', admin: 'admin' },
  skip: 'To the content', menu: 'Pages', pages: 'Pages', all: 'All', yes: 'yes', no: 'no', more: 'Show more', again: 'Try again', edit: 'Edit', copy: 'Copy', copied: 'Copied', notCopied: 'The browser did not let it be copied', close: 'Close', cancel: 'Cancel', later: 'Later',
  undo: 'Undo', undone: 'Undone', loading: 'Loading…', columns: 'Columns', choose: 'Choose', chooseRow: id => `Choose ${id}`, showAll: 'Show all', why: 'why', online: 'online', offline: 'offline',
  nothingFound: 'Nothing matches', nothingFoundWhy: 'No row has all of these terms. Take one away, or look for a part of a word.', needsRole: role => `This takes the role ${role}`, times: number => `${number}×`,
  disappears: 'This cannot be taken back. What disappears:', typeId: id => `Type ${id} to confirm`,
  time: { now: 'now', days: number => many(number, 'day', 'days') },
  problems: {
    failed: 'That did not work', unreachable: 'The service does not answer', unreachableWhy: 'It may be starting again. What is shown stays as it was.', forbidden: 'Your role does not reach so far', forbiddenWhy: 'An admin can give you another role: Audit, Operators.',
    missing: 'There is nothing here', missingWhy: 'It was removed, or the address is mistyped.',
  },
  feed: { live: 'live', waiting: 'connecting…', asOf: time => `as of ${time}`, paused: time => `paused at ${time}`, explain: 'How fresh what you see is. Press to pause, again to go on ( . )' },
  me: { menu: name => `${name}: settings and sign out`, asSystem: 'Light or dark as the system', light: 'Light', dark: 'Dark', password: 'Change password', operators: 'Operators and sessions', signOut: 'Sign out' },
  keys: { title: 'Keyboard shortcuts', search: 'Search', rows: 'Next, previous row', open: 'Open the row', back: 'Back to the list', pause: 'Pause what is live, go on', on: 'Shortcuts of one key are on' },
  search: { label: 'Search', devices: 'Search devices', suggestions: 'Suggestions' },
  enter: {
    title: 'Enter the console', name: 'Name', password: 'Password', enter: 'Enter', useLink: 'Enter with the link', wrong: 'Name and password do not match, or no password was set.', linkExpired: 'This link was used already, or its 30 minutes are over', linkCure: 'A new link is made by this command, on the machine of the service:',
    noPassword: 'No password yet?', reasons: { left: 'You signed out.', expired: 'Your session is over. Enter again to go on where you were.', revoked: 'Your session was ended by an operator.' },
  },
  password: { title: 'Change password', first: 'Set a password for next time', why: name => `With it ${name} enters without a link. At least 10 characters; a sentence is good.`, current: 'Present password', fresh: 'New password', set: 'Set password', done: 'The password is set; other sessions of yours ended' },
  states: { queued: 'queued', sent: 'sent', done: 'done', failed: 'failed', expired: 'expired', superseded: 'superseded', missed: 'missed', pass: 'passed', warn: 'warning', fail: 'failed', skip: 'skipped', accepted: 'accepted', refused: 'refused', dead: 'dead letter', waiting: 'waiting', retrying: 'trying again' },
  kinds: { bool: 'yes or no', int: 'integer', float: 'number', enum: 'word of a list', string: 'text', raw: 'bytes', any: 'any' },
  actors: { user: 'user', device: 'device', schedule: 'schedule', operator: 'operator', system: 'the service', erased: 'a user who was erased', somebody: 'somebody' },
  overview: {
    health: 'Health', states: { ok: () => 'All accepted reports are stored. Nothing needs you.', attention: number => `All accepted reports are stored. ${many(number, 'thing needs', 'things need')} you.`, failing: number => `Something fails: ${many(number, 'thing needs', 'things need')} you now.` },
    reports: 'reports a second', online: 'devices online', oldest: 'age of the oldest unanswered work', outbox: 'messages wait for the broker', refusals: 'refusals today', deadLetters: 'dead letters today', users: 'users', alerting: 'devices with an alert or fault',
    commands: 'Commands of the last 24 hours', noCommands: 'No command yet. An app, a schedule or you can send one: open a device.', changes: 'What changed lately', noChanges: 'Nothing yet.', since: 'running since',
  },
  guide: {
    title: 'First steps', done: 'done',
    product: { title: 'Describe a product', text: 'A product says what its devices can report and be told.' }, registered: { title: 'Connect a device', text: 'A device registers once with its product’s secret, and gets an identity of its own. No device at hand? The browser can be one.' },
    reported: { title: 'See its first report', text: 'The device connects as itself and reports its values.' }, bound: { title: 'Bind it to a user', text: 'An app logs a user in and binds the device with its passcode.' },
    switched: { title: 'Switch it', text: 'Open the device and switch a value: the command, its answer and the new state appear as they happen.' },
  },
  connect: {
    title: 'Connect a device', about: 'Choose the product, and name the device by its MAC.', mac: 'MAC (12 hex digits)', macForm: '12 hex digits, with or without colons', anyMac: 'Make one up', next: 'Show the commands', simulated: 'No device? Simulate one in the browser',
    noProduct: 'There is no product yet. Make one first: it says what the device can do.', run: 'Run this on the device, or in a terminal as if you were it:', language: 'Language', kinds: { mosquitto: 'mosquitto', python: 'Python', c: 'C' }, thenReport: 'then, with DID and SECRET of the answer:', keep: 'keep both: they are the device’s identity',
    secretWhere: 'In place of PRODUCT_SECRET put the product’s secret, which was shown when it was made; Products makes a new one.', progress: 'What happens', waiting: 'Waiting for its first message…', since: 'since', refused: 'It was refused:',
    steps: { registered: 'It registered', connected: 'It connected as itself', reported: 'Its first report is stored' }, openDevice: 'Open the device', label: 'The label for its housing: an app scans it to bind the device.', saveLabel: 'Save label', qr: text => `QR code: ${text}`, another: 'Another device',
  },
  devices: {
    device: 'Device', product: 'Product', state: 'State', changed: 'Last change', alerts: 'Alerts', alert: 'with an alert', fault: 'with a fault', anyAlert: 'any alert', anyFault: 'any fault', owner: 'Owner', firmware: 'Firmware', registered: 'registered itself', seen: 'came or went', seenLess: 'less than an hour ago', seenMore: 'more than a day ago', alerting: 'with alert or fault', unregistered: 'never registered',
    byState: 'By state', none: 'No device yet', noneWhy: 'A device appears here when it registers with its product’s secret.', chosen: number => `${number} chosen`, labels: 'Labels', forgetMany: number => `Forget ${many(number, 'device', 'devices')}`, forgotten: number => `${many(number, 'device', 'devices')} forgotten`, kicked: number => `${many(number, 'connection', 'connections')} closed`,
  },
  device: {
    views: 'Views', tabs: { state: 'State', timeline: 'Timeline', commands: 'Commands', history: 'History', who: 'Who', schedules: 'Schedules', messages: 'Messages', info: 'Info' }, gone: 'This device was forgotten. What is shown is the last that was known.', since: 'since', version: number => `version ${number}`, lastReport: 'last change',
    knownBy: { gate: '(the gate sees the connection)', device: '(by its own birth or will)', nothing: '(it never came)' }, kick: 'Close connection', kicked: 'The broker was told to close the connection', reset: 'Allow a factory reset for 10 min', resetAllowed: 'The device may register again within 10 minutes', forget: 'Forget…', forgetTitle: 'Forget this device', forgotten: 'The device is forgotten',
    loses: { device: 'the device, its state and its secret', users: names => `access of ${names}`, records: number => `${many(number, 'record', 'records')} of history`, commands: number => many(number, 'command', 'commands'), schedules: number => many(number, 'schedule', 'schedules'), invitations: number => many(number, 'invitation', 'invitations') },
  },
  secret: { title: 'Make a new secret', rotate: 'New secret…', loses: ['the present secret: who connects with it is refused from now on'], fresh: 'The new secret', once: 'It is shown this once. Put it into the device or app now.', kept: 'I have kept it' },
  state: { none: 'No data points', noneWhy: 'The product declares none, and the device reported nothing yet.', toProduct: 'To the product', secret: 'Set only; never reported and never shown.', never: 'never reported', setBy: 'set by', wanted: 'Wanted:', set: name => `Set ${name}`, send: 'Send', sent: (name, value, state) => `${name} → ${value}: ${state}`, toHistory: name => `History of ${name}` },
  timeline: {
    kinds: 'Kinds', names: { report: 'Reports', command: 'Commands', event: 'Events', binding: 'People', refusal: 'Refusals', act: 'Operators' }, none: 'Nothing happened yet', noneWhy: 'Reports, commands, events, bindings and refusals appear here as sentences.',
    report: values => ['It reported ', values], command: (who, values) => [who, ' asked for ', values], after: time => `after ${time}`, refusal: (reason, times, name, why) => [`It was refused: ${reason}`, times > 1 ? `, ${times} times` : '', ' · ', why],
    events: {
      alert: name => `Alert “${name}”`, alertCleared: name => `Alert “${name}” is over`, fault: name => `Fault “${name}”`, faultCleared: name => `Fault “${name}” is over`, online: () => 'It came online', offline: (name, cause) => ['It went offline', cause ? `: ${cause}` : ''],
      historyLimited: () => 'It reported more than is kept for a day: the rest of the day is not recorded',
    },
    bindings: { bound: (who, values) => [who, ' got access ', values], invited: (who, values) => [who, ' invited somebody ', values], other: (who, values, type) => [who, `: ${type} `, values] },
  },
  causes: { closed: 'it said goodbye', lost: 'it fell silent', kicked: 'its connection was closed by right or operator', takenOver: 'another connection with its id took over', DeviceOffline: 'the device was offline', DeviceTimeout: 'the device did not answer in time', Forbidden: 'it was not allowed', NotBound: 'the sender has no access any more', Expired: 'its time was over', PolicyRejected: 'the device or a policy rejected it', InvalidRequest: 'the values do not fit the product', TooManyRequests: 'too many at once', Unavailable: 'the service could not take it' },
  commands: { what: 'What', query: 'asked for its state', who: 'Who', state: 'State', steps: 'Steps', expires: 'Expires', result: 'Answer', late: 'answered after its time', code: number => `code ${number}`, by: { asker: '(asked)', device: '(device)', system: '(service)' }, none: 'No command yet', noneWhy: 'Apps, schedules and you send commands. The State tab has a control for each value that can be set.' },
  info: {
    about: 'About', created: 'Made', registered: 'Registered', owned: 'Owner since', users: 'Users', open: 'Commands under way', secret: 'Has a secret', certificates: 'Certificates count from', reset: 'Reset allowed until', connection: 'Connection number', run: 'Its present run', listens: 'Hears commands since', hardware: 'Hardware',
    grants: 'What the gate grants it now', grantsWhat: 'A device publishes and receives in these topics and in no others.', publishes: 'may publish', receives: 'may receive', label: 'Label', acts: 'Actions',
  },
  history: {
    range: 'Range', ranges: { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month', quarter: '3 months', year: 'Year' }, zone: 'Zone', points: most => `Data points (${most} at most)`, none: 'Nothing chosen', noneWhy: 'Choose a data point above.', empty: 'Nothing was reported in this time', emptyWhy: 'Choose a longer range. A device’s reports are kept as long as its product says.',
    caption: (step, zone) => `A point for each ${step}, calendar of ${zone}. The band goes from the least to the greatest value. Drag, or press + and −, to zoom.`, cut: 'There are more records than fit: the chart ends early.', now: 'Up to now again', table: 'As a table', at: 'Time', columns: { min: 'least', mean: 'mean', max: 'greatest', last: 'last' }, reports: 'reports',
  },
  chart: { label: names => `Chart of ${names}`, keys: 'Arrow keys or pointer show the values', nothing: 'nothing' },
  who: {
    user: 'User', role: 'Role', roles: { special: 'first owner', owner: 'owner', normal: 'user', guest: 'guest' }, roleWhat: { special: 'The first who bound it; may share it', owner: 'May share it', normal: 'Bound it too', guest: 'Was invited' }, access: 'May', accesses: { control: 'control', read: 'watch' }, alias: 'Calls it', since: 'Since', until: 'Until', always: 'always', hears: 'Gets its status',
    none: 'Nobody has access', noneWhy: 'A user binds the device in an app, with its passcode or label.', invitations: 'Invitations', invited: 'Invited', inviter: 'By', byCode: 'whoever has the code', statuses: { pending: 'waiting', accepted: 'accepted', rejected: 'rejected', expired: 'expired', revoked: 'withdrawn' }, remark: 'Note',
  },
  live: {
    messages: 'Messages', masked: 'Secrets are masked before they leave the service; at most 50 messages a second are shown.', filter: 'Filter by topic, client or reason', outcome: 'Outcome', pause: 'Pause', goOn: 'Go on', branches: 'By branch', talkers: 'Who talks most', only: branch => `Only ${branch}`, pinned: 'Pinned', unpin: 'Unpin', left: number => `${number} more of the last second are not shown`,
    waiting: 'Listening…', waitingWhy: 'No message has come since this page was opened.', lastWas: 'The last one was', since: 'Open since', ways: { in: 'to the service', out: 'from the service' }, hidden: size => `${size}, not shown`,
  },
  refusals: {
    about: 'Who was refused what, which rule said no, and what to do about it.', search: 'Search refusals', reason: 'rule', action: 'what was tried', client: 'client id', user: 'user name', address: 'source address', byReason: 'By rule', none: 'Nobody was refused in 7 days', noneWhy: 'When a device or app is turned away, it is here at once, with the rule and the cure.', noneOfDevice: 'This device was not refused.',
    wanted: { connect: 'wanted to connect', publish: 'wanted to publish to', subscribe: 'wanted to subscribe to', receive: 'was to receive' }, from: address => `from ${address}`, rule: 'Rule:', cure: 'Cure:', copyCure: 'Copy cure', allow: mac => `Allow ${mac}`, allowed: mac => `${mac} may register now`, since: 'since', newDevice: 'a new device',
  },
  actions: { connect: 'connecting', publish: 'publishing', subscribe: 'subscribing', receive: 'receiving' },
  reasons: {
    noUsername: 'no user name', noPassword: 'no password', badUsername: 'user name of no known form', badClientId: 'client id does not fit the user name', badSecret: 'wrong password', unknownPrincipal: 'nobody has that name', terminalOfOtherApp: 'terminal of another app', sessionTokenRequired: 'the session’s token is required', tooManyNewClients: 'too many new clients from one address',
    credentialsUnavailable: 'the gate has no credentials', certificateRevoked: 'certificate was revoked', notAllowed: 'topic is not the client’s', retainNotAllowed: 'retain flag is not allowed', badTopic: 'malformed topic', reservedTopic: 'reserved topic', sharedNotAllowed: 'shared subscription', sessionRequired: 'a session is required', noLongerAllowed: 'right was lost', ownRequest: 'own request',
    tooFast: 'too many messages', addressTooFast: 'too many messages from one address', overloaded: 'the service is overloaded', tooManySubscriptions: 'too many subscriptions', filterNotAllowed: 'filter is not allowed', tooManyLevels: 'too many levels in a topic', originNotAllowed: 'web page of another origin', handshakeFailed: 'TLS handshake failed', tooManyConnections: 'too many connections', NotListed: 'MAC is not listed',
  },
  rules: {},
  products: {
    name: 'Name', add: 'New product', edit: name => `Edit ${name}`, export: 'Export', key: 'Key', points: 'Data points', point: 'Name', kind: 'Kind', access: 'Access', accesses: { rw: 'read and set', ro: 'read', wo: 'set, never shown' }, limits: 'Limits', unit: 'Unit', used: 'Devices that reported it', step: number => `step ${number}`, longest: number => `${number} long at most`, free: 'None declared: its devices report what they like.',
    registration: 'Registration', registrations: { open: 'any MAC', listed: 'listed MACs only' }, reset: 'Reset allowed by', resets: { owner: 'the owner', open: 'anybody, while it is offline', operator: 'an operator' }, bind: 'Binding from afar', binds: { claim: 'a claim at the device', secret: 'its secret' }, changed: 'Changed', none: 'No product yet', noneWhy: 'A product says what its devices can report and be told. Begin with an example and change it.',
    macs: 'MACs that may register', newMacs: 'One or more MACs', allow: 'Allow', allowed: number => `${many(number, 'MAC', 'MACs')} allowed`, notYet: 'not yet', noMacs: 'None: no device can register.',
  },
  document: {
    about: 'The same document as on the command line. What it would change is shown before it is saved.', notJSON: 'This is not JSON', look: 'Show what changes', save: 'Save', saveAnyway: 'Save anyway', problems: 'It would be refused:', breaks: 'This breaks something:', devices: number => many(number, 'device', 'devices'), isNew: 'It is new; nothing else changes.', nothing: 'It changes nothing.',
    why: { pointRemoved: 'is removed: its values are not taken any more', pointHidden: 'is no longer shown', kindChanged: 'changes its kind', rangeNarrowed: 'has a narrower range', wordsRemoved: 'loses words', readOnly: 'cannot be set any more', conditionRemoved: 'is removed: it cannot be raised any more', providerRemoved: 'is removed: its users cannot log in by it', sessionsShorter: 'sessions end earlier' },
  },
  apps: { name: 'Name', add: 'New app', sessions: 'Live sessions', providers: 'Identity providers', noProviders: 'none', policies: 'Policies', document: 'Document', none: 'No app yet', noneWhy: 'An app needs an id and a secret before its users can log in.' },
  policies: {
    revealAccounts: { true: 'Answers may tell that an account exists.', false: 'Answers never tell whether an account exists.' }, emailRegistration: { code: 'An e-mail address is verified by a code before the account exists.', link: 'The account exists at once; a link verifies its address later.', confirm: 'The account exists at once, and a confirmation is sent.' }, emailVerification: { true: 'Users can see and verify their e-mail address.', false: 'Verification of e-mail addresses is not offered.' },
    phoneRegistration: { true: 'A phone number can register.', false: 'A phone number cannot register.' }, uidLogin: { true: 'The app brings user ids of its own.', false: 'User ids are made here.' }, usernameChangeable: { true: 'A user name can be changed.', false: 'A user name stays as it is.' }, anonymous: { keep: 'An anonymous user who logs out is kept.', discard: 'An anonymous user who logs out is discarded.' },
    cancelProof: { true: 'Cancelling an account takes a password or code.', false: 'Cancelling an account takes a session alone.' }, sessionDays: days => (typeof days === 'number' ? `A session lives ${many(days, 'day', 'days')}.` : 'A session lives as long as the service says.'),
  },
  users: {
    user: 'User', app: 'App', email: 'E-mail', phone: 'Phone', region: 'Region', country: 'country code', anonymous: 'anonymous', verified: 'address verified', isVerified: 'verified', isNotVerified: 'not verified', seen: 'Last seen', search: 'Search users', none: 'No user yet', noneWhy: 'A user appears when an app logs one in.', about: 'About', hasPassword: 'Password', homes: 'Homes',
    locked: 'locked', lockedWhy: 'After wrong passwords or codes, this user waits before the next try.', unlock: 'Unlock', unlocked: 'The user can try again', cancelled: 'cancelled', deletes: 'The user cancelled the account; it is erased', keep: 'Keep it', kept: 'The account is kept',
    sessions: 'Sessions', terminal: 'Terminal', isLive: 'live', hasEnded: 'ended', cutOff: 'Cut off', cutAfter: time => `after ${time}`, notConfirmed: 'the gate has not confirmed it yet', login: 'Since', end: 'End', endAll: 'End all sessions', ended: 'The session ended', endingAll: 'All sessions of this user end', noSessions: 'No session', noSessionsWhy: 'The user is logged in nowhere, and no session ended lately.',
    noDevices: 'No device is bound to this user.', inFull: 'Show addresses', export: 'Export', erase: 'Erase…', eraseTitle: 'Erase this user', erased: 'The user is erased', losesAccount: 'the account, its sessions and addresses', losesDevices: number => `access to ${many(number, 'device', 'devices')}`, losesNames: 'the user’s name in every record', happened: 'What happened', nothing: 'Nothing yet.',
  },
  endReasons: { loggedOut: 'logged out', terminated: 'ended by the user elsewhere', expired: 'its time was over', passwordChanged: 'the password was changed', passwordReset: 'the password was reset', accountCancelled: 'the account was cancelled', replaced: 'a new login on the same terminal', operator: 'ended by an operator' },
  messages: { to: 'To', template: 'What', templates: {}, code: 'Code or link', hidden: 'hidden', tries: 'Tries', next: 'Next try', channels: { email: 'Mail', sms: 'Text' }, ways: { log: 'written to the log', gateway: 'by a gateway', smtp: 'by SMTP', webhook: 'by a webhook' }, resend: 'Send now', resent: 'It is tried now', none: 'No message', noneWhy: 'Codes and links that users ask for appear here. How they are sent is a setting.', toSettings: 'Settings of delivery' },
  schedules: {
    day: 'A day back, a day ahead', quiet: 'Nothing ran or will run within a day.', all: 'All schedules', due: 'due', gone: 'schedule deleted', clocks: (zone, hours) => `${zone}: clocks go ${hours > 0 ? 'forward' : 'back'} ${many(Math.abs(hours), 'hour', 'hours')}`, cut: 'There are more than are shown.', search: 'Search schedules', enabled: 'Enabled', rule: 'When', does: 'Does', next: 'Next', last: 'Last run', paused: 'paused', never: 'never', everyDay: 'every day', monthDays: days => `on day ${days} of the month`,
    none: 'No schedule yet', noneWhy: 'Users make schedules in their app; they run here even while the app is closed.', one: 'Schedule', misfire: 'If it was missed', misfires: { skip: 'it is left out', run: 'it runs once as soon as possible' }, why: 'It will run', noMore: 'Not again: its date is over.', isPaused: 'Not while it is paused.', runs: 'It ran', lateBy: seconds => `${seconds} s late`, pause: 'Pause', resume: 'Go on', pausedNow: 'The schedule is paused', resumed: 'The schedule goes on', runNow: 'Run now', ran: 'The command is sent',
  },
  dead: {
    about: 'Messages that can never be carried out as they are.', search: 'Search dead letters', topic: 'Topic', reason: 'Reason', worker: 'Worker', size: 'Size', at: 'Time', byReason: 'By reason', none: 'No bad message in 7 days', noneWhy: 'A message that cannot be read or carried out is kept here with the reason.', one: 'Dead letter', shapeOnly: 'Only names and sizes were kept, since the values may be secret: it cannot be replayed.', binary: 'Its payload is not text:', here: 'here it goes wrong',
    example: 'Copy as test example', replay: 'Replay', replayed: 'It was published again', drop: 'Drop', dropped: 'Dropped',
  },
  system: {
    tabs: { doctor: 'Doctor', workers: 'Workers', store: 'Store', limits: 'Limits', config: 'Settings', certificates: 'Certificates', log: 'Log' }, bundle: 'Support bundle', bundled: names => `Saved: ${names}`, again: 'Check again', check: 'Check', evidence: 'What was found', code: 'Code', took: 'Took', ready: 'ready', notReady: 'not ready', broker: 'Broker', gateLag: 'The gate lags by', noLag: 'nothing',
    batch: 'Messages a turn', commit: 'Commit', window: 'Window in use', received: 'Received', database: 'Database', engine: 'Engine', walSize: 'Write-ahead log', free: 'Free on disk', diskLow: 'low', checkpoint: 'Checkpoint', checkpointed: 'The log is in the database', backups: 'Backups', lastBackup: 'Last one', noBackup: 'never', file: 'File', every: 'By itself every', notByItself: 'not by itself', directory: 'Directory', noDirectory: 'none: set backup.directory', backup: 'Back up now', backedUp: 'The backup is made',
    rows: 'Rows', table: 'Table', limit: 'Limit', value: 'Value', used: 'In use', rejected: 'Refused by it', findSetting: 'Find a setting', onlyChanged: 'Only what differs from the default', noFile: 'No configuration file is read.', setting: 'Setting', default: 'Default', origin: 'From', environment: 'Variable', masked: '••••', noCertificates: 'No certificate: everything is on this machine alone', use: 'Use', names: 'Names', until: 'Until', from: 'From', endsSoon: 'ends soon', concerns: 'Concerns',
    level: level => `The log’s level is ${level}.`, levelUntil: level => `It is ${level} again`, newLevel: 'For 10 minutes', setLevel: 'Set', levelSet: 'The level is set for 10 minutes',
  },
  audit: {
    rows: 'What was done', search: 'Search the audit', kind: 'kind', act: 'what an operator did', operatorAct: 'an operator’s act', subject: 'what it was about', beforeAfter: 'Before and after', none: 'Nothing yet', noneWhy: 'What operators, users and the service change is noted here.', operators: 'Operators', operator: 'Operator', sessions: 'Sessions', tokens: 'Tokens for scripts', tokenName: 'Name of the token', noTokens: 'No token yet. A script shows one with every request.', add: 'Add operator', addToken: 'Make token', days: 'Valid for days',
    role: 'Role', roleWhat: 'A viewer changes nothing and sees addresses masked; an operator controls and ends sessions; an admin has secrets and operators.', link: 'One-time link', linkOnce: name => `${name} enters with it once. It is valid for 30 minutes, and ends`, makeLink: 'New link', revoke: 'End sessions', revoked: name => `All sessions of ${name} ended`, remove: 'Remove…', removed: 'The operator is removed', removeTitle: 'Remove this operator', loses: 'sessions, links and tokens end at once', changed: 'The role is changed', you: 'you',
    thisOne: 'this one', client: 'Browser', address: 'Address', way: 'Entered by', ways: { link: 'link', password: 'password' }, idle: 'Ends unless used', used: 'Last used', revokeToken: 'Revoke', tokenRevoked: 'The token is revoked',
  },
  acts: {
    title: 'Actions', forgetDevice: 'forgot the device', commandDevice: 'sent a command', kickDevice: 'closed the connection', rotateDeviceSecret: 'made a new secret of the device', allowReset: 'allowed a factory reset', addProduct: 'added the product', changeProduct: 'changed the product', rotateProductSecret: 'made a new secret of the product', allowMacs: 'allowed MACs', addApp: 'added the app', changeApp: 'changed the app', rotateAppSecret: 'made a new secret of the app',
    eraseUser: 'erased the user', endSessions: 'ended all sessions', endSession: 'ended the session', unlockUser: 'unlocked the user', undoCancellation: 'kept a cancelled account', exportUser: 'exported the user', showUser: 'looked at addresses', setPassword: 'set a password', addOperator: 'added the operator', changeOperator: 'changed the role', removeOperator: 'removed the operator', makeLink: 'made a one-time link', revokeOperator: 'ended an operator’s sessions',
    endOperatorSession: 'ended an operator’s session', makeToken: 'made the token', revokeToken: 'revoked the token', signIn: 'signed in', signOut: 'signed out', enter: 'entered by link', dropDeadLetter: 'dropped the dead letter', replayDeadLetter: 'replayed the dead letter', resendMessage: 'sent a message again', changeSchedule: 'paused or resumed the schedule', runSchedule: 'ran the schedule', makeBackup: 'made a backup', checkpoint: 'made a checkpoint', setLogLevel: 'set the log’s level', makeSupportBundle: 'made a support bundle', exportAudit: 'exported the audit',
  },
  audits: {
    registered: 'registered', converted: 'became a named user', adopted: 'took over an anonymous user', loggedIn: 'logged in', loginFailed: 'failed to log in', codeSent: 'asked for a code', codeFailed: 'gave a wrong code', linkSent: 'asked for a link', passwordChanged: 'changed the password', passwordReset: 'reset the password', passwordFailed: 'gave a wrong password', addressChanged: 'changed an address', addressVerified: 'verified an address', addressTaken: 'named an address that is taken',
    addressRestored: 'took back a change of address', usernameChanged: 'changed the user name', providerLinked: 'linked an identity provider', providerUnlinked: 'unlinked an identity provider', logoutCodeMade: 'made a logout code', sessionEnded: 'ended a session', cancellationRequested: 'cancelled the account', cancellationUndone: 'took back the cancellation', erased: 'was erased',
  },
};
