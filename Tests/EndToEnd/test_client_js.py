"""The JavaScript client of clients/js, in a browser, over WebSocket against a running service."""

import json
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

import accounts
from accounts import COUNTRY, PASSWORD, fresh_email, fresh_id, fresh_name, fresh_phone
from browser import Browser
from harness import ROOT, eventually
from provider import Provider
from pythonclient import stopped
from turns import PAUSES, ROUNDS, Pair
from webpages import Pages
from world import EndToEnd, OwnWorld

APP = "people"
WORDS = "Lämpchen 灯 💡 \u2028 \"quoted\""
PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>app</title>'
# This code runs before each script. `make` returns a terminal, and `hear` collects its pushes. `failure` returns the
# error of a promise.
PRELUDE = r"""
const client = await import('/js/lamplighter.js');
window.apps ??= {};
function make(name, more = {}) {
  return window.apps[name] = new client.App({url: '%s', appId: '%s', secret: '%s', store: null, ...more});
}
async function enter(name, more) {
  const app = await make(name, more).connect();
  await app.account.loginAnonymous({countryCode: '49'});
  return app;
}
async function until(probe, ms = 20000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) throw new Error('it did not come: ' + probe);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
function hear(app, kind, did) {
  const pushes = [];
  app.on(kind, push => pushes.push(push), did);
  return {pushes, next: (fits = () => true, ms) => until(() => {
    const at = pushes.findIndex(fits);
    return at >= 0 && pushes.splice(at, 1)[0];
  }, ms)};
}
async function failure(promise) {
  try { await promise; } catch (error) { return error; }
  throw new Error('it did not fail');
}
"""


class InBrowser(EndToEnd):
    """One browser with one page for the tests of a class; each test names its terminals freely."""

    transport = "mqtt"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pages = Pages({"js": ROOT / "clients" / "js"}, {"": PAGE})
        cls.addClassCleanup(cls.pages.close)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.gateway = accounts.furnish(self.world)
        self.browser.open(self.pages.address + "/")
        self.addCleanup(self.browser.open, "about:blank")

    def run_script(self, script, *arguments, app=APP):
        address = f"ws://127.0.0.1:{self.world.service.ready['webSocketPort']}/mqtt"
        if self.transport == "http":
            address = f"http://127.0.0.1:{self.world.service.http_port}"
        prelude = PRELUDE % (address, app, self.world.apps[app]["secret"])
        return self.browser.run(prelude + script, *arguments)

    def bound(self):
        """Returns a switched-off device that the app named `a` has bound."""
        device = self.device()
        device.report(data={"power": False})
        self.run_script("await apps.a.device.bind({did: args[0], passcode: args[1]})", device.did, device.passcode)
        return device

    def code(self, purpose, **address):
        self.run_script("await apps.a.account.sendCode(args[0])", {"countryCode": COUNTRY, "purpose": purpose, **address})
        return self.gateway.taken(next(iter(address.values())))["params"]["code"]


class LoggingIn(InBrowser):
    def enter(self, method, app=APP, **params):
        uid, told = self.run_script(
            "const r = await apps.a.account[args[0]](args[1]);"
            "return [r.user.uid, (await apps.a.account.whoami()).user.uid]", method, {"countryCode": COUNTRY, **params}, app=app)
        self.assertEqual(uid, told)

    def test_in_every_way(self):
        name, email, phone = fresh_name(), fresh_email(), fresh_phone()
        self.run_script("await make('a').connect()")
        self.enter("register", username=name, password=PASSWORD)
        self.enter("register", email=email, password=PASSWORD, code=self.code("register", email=email))
        self.enter("login", phone=phone, code=self.code("login", phone=phone))
        self.enter("login", account=name, password=PASSWORD)
        self.enter("login", email=email, password=PASSWORD)
        self.enter("loginAnonymous")
        self.enter("loginOrRegister", uid=fresh_id("own"), password=PASSWORD)

    def test_by_an_external_provider(self):
        provider = Provider()
        self.addCleanup(provider.close)
        self.world.import_app("people-web", {"providers": {
            "oidc:works": {"enabled": True, "clientIds": ["ours"], "issuer": provider.url + "/works"}}})
        self.run_script("await make('a').connect()", app="people-web")
        token = provider.id_token(provider.url + "/works", "ours", fresh_id("sub"))
        self.enter("loginWithProvider", app="people-web", provider="oidc:works", credential={"identityToken": token})

    def test_a_refusal_has_its_reason(self):
        found = self.run_script(
            "await enter('a'); const e = await failure(apps.a.device.status({did: 'd-none'}));"
            "return [e.name, e.code, e.field]")
        self.assertEqual(found, ["LamplighterError", "NotBound", "params.did"])

    def test_a_wrong_secret_is_refused(self):
        found = self.run_script(
            "const e = await failure(make('a', {secret: 'wrong 1234567890123'}).connect()); return [e.name, e.message]")
        self.assertEqual(found[0], "ConnectionRefused")
        self.assertIn("the app's id or its secret is wrong", found[1])

    def test_a_missing_broker(self):
        found = self.run_script(
            "const e = await failure(make('a', {url: 'ws://127.0.0.1:1/mqtt', timeout: 1500}).connect());"
            "return [e.name, e.message, location.origin]")
        self.assertEqual(found[0], "TimeoutError")
        self.assertIn(f"or this page's origin, {found[2]}, is not named in mqtt.webSocketOrigins", found[1])


class Devices(InBrowser):
    def test_statuses_events_and_the_outcome_of_a_command(self):
        self.run_script("await enter('a')")
        device = self.bound()
        self.run_script(
            "window.heard = {}; for (const kind of ['status', 'event', 'command']) heard[kind] = hear(apps.a, kind, args[0])", device.did)

        def obey():
            command = device.command()
            device.send(cid=command.body["cid"], data=command.body["data"])
        with ThreadPoolExecutor() as pool:
            obeyed = pool.submit(obey)
            outcome = self.run_script("return await apps.a.control(args[0], {power: true}, {sn: 7})", device.did)
            obeyed.result()
        self.assertEqual((outcome["state"], outcome["data"], outcome["sn"]), ("done", {"power": True}, 7))
        self.assertEqual(self.run_script("return (await heard.command.next()).body.cid"), outcome["cid"])
        self.run_script("await heard.status.next(p => p.body.data.power)")
        self.assertTrue(self.run_script("return apps.a.statuses[args[0]].data.power", device.did))
        device.report(alerts=[{"name": "smoke"}])
        self.assertEqual(self.run_script("return (await heard.event.next(p => p.body.type === 'alert')).body.name"), "smoke")
        self.run_script("await apps.a.device.unbind({did: args[0]}); await heard.status.next(p => p.body === null)", device.did)
        self.assertEqual(self.run_script("return apps.a.statuses"), {})

    def test_a_device_that_is_away(self):
        self.run_script("await enter('a')")
        device = self.bound()
        device.close()
        self.run_script("await until(async () => !(await apps.a.device.status({did: args[0]})).online)", device.did)
        self.assertEqual(
            self.run_script("return (await failure(apps.a.control(args[0], {power: true}))).code", device.did), "DeviceOffline")

    def test_a_handler_may_make_requests_and_may_fail(self):
        self.run_script(
            "await enter('a'); window.answers = []; window.faults = [];"
            "addEventListener('error', event => { faults.push(event.message); event.preventDefault(); });"
            "apps.a.on('status', () => { throw new Error('the app\\'s own'); });"
            "apps.a.on('status', async push => answers.push(await apps.a.device.hardware({did: push.did})));")
        self.bound()
        self.assertTrue(self.run_script("await until(() => answers.length); return faults.length > 0"))

    def test_ended_subscriptions_deliver_nothing(self):
        self.run_script(
            "await enter('a'); window.early = []; const remove = apps.a.on('status', push => early.push(push)); remove();"
            "window.late = hear(apps.a, 'status');")
        self.bound()
        self.assertEqual(self.run_script("await late.next(); return early"), [])
        # A handler that is added later gets the status that is already known.
        self.assertIsNotNone(self.run_script("return (await hear(apps.a, 'status').next()).did"))
        self.assertEqual(
            self.run_script("try { apps.a.on('stati', () => {}) } catch (error) { return error.name }"), "RangeError")


class Sizes(InBrowser):
    def test_large_payloads_and_every_letter(self):
        found = self.run_script(
            "const app = await enter('a');"
            "const bytes = new Uint8Array(44000); bytes.set([0x89, 80, 78, 71, 13, 10, 26, 10]);"
            "const data = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));"
            "await app.account.setAvatar({data});"
            "await app.account.updateProfile({nickname: args[0], custom: {long: '灯'.repeat(4000)}});"
            "const {user} = await app.account.whoami();"
            "return [user.nickname, user.custom.long.length, 'avatarUrl' in user]", WORDS)
        self.assertEqual(found, [WORDS, 4000, True])

    def test_oversized_messages_are_refused_before_they_are_sent(self):
        found = self.run_script(
            "const app = await enter('a');"
            "const error = await failure(app.account.updateProfile({remark: 'x'.repeat(70000)}));"
            "await app.account.whoami(); return error.name")
        self.assertEqual(found, "RangeError")

    def test_many_requests_at_once_are_all_answered(self):
        found = self.run_script(
            "const app = await enter('a');"
            "const names = Array.from({length: 60}, (_, n) => `home ${n} ${args[0]}`);"
            "const made = await Promise.all(names.map(name => app.home.create({name})));"
            "const {homes} = await app.home.list();"
            "return names.every((name, n) => homes.find(h => h.homeId === made[n].homeId).name === name)", WORDS)
        self.assertTrue(found)


class Sessions(InBrowser):
    def test_the_next_visit_continues_the_session(self):
        uid = self.run_script("return (await enter('a', {store: localStorage})).credentials.uid")
        device = self.bound()
        self.browser.open(self.pages.address + "/")
        found = self.run_script(
            "const app = await make('a', {store: localStorage}).connect(); await hear(app, 'status', args[0]).next();"
            "const {user} = await app.account.whoami(); await app.account.logout();"
            "return [user.uid, JSON.parse(localStorage.getItem('lamplighter.people')).credentials]", device.did)
        self.assertEqual(found, [uid, None])

    def test_without_its_token_it_continues_as_a_new_terminal(self):
        found = self.run_script(
            "const app = await enter('a'); await app.account.whoami(); app.close();"
            "const other = await enter('b', {terminalId: app.terminalId, store: localStorage}); await other.account.whoami();"
            "return [other.terminalId !== app.terminalId,"
            " JSON.parse(localStorage.getItem('lamplighter.people')).terminalId === other.terminalId]")
        self.assertEqual(found, [True, True])

    def test_a_repeated_logout_succeeds_once(self):
        found = self.run_script(
            "const app = await enter('a'); app.ask('account/logout', {}, {id: 'first'});"
            "const again = await app.ask('account/logout', {}, {id: 'second'}); return [again, app.credentials]")
        self.assertEqual(found, [{}, None])

    def test_the_secret_in_place_of_the_token_ends_no_session(self):
        found = self.run_script(
            "const app = await enter('a'), {credentials} = app; app.close();"
            "const again = make('b', {credentials}), ended = hear(again, 'ended'), connected = again.connect();"
            # The next line makes the client behave as it does after a temporary refusal.
            "again.refused = 1; again.renew(); await connected;"
            "return [(await again.account.whoami()).user.uid === credentials.uid, again.credentials !== null,"
            " ended.pushes.length]")
        self.assertEqual(found, [True, True, 0])

    def test_a_logout_is_noticed_and_the_terminal_logs_in_again(self):
        found = self.run_script(
            "const app = await enter('a'), ended = hear(app, 'ended');"
            "await app.account.logout(); const {body} = await ended.next(); const gone = app.credentials;"
            "await app.account.loginAnonymous({countryCode: '49'}); await app.account.whoami();"
            "return [body.reason, gone, ended.pushes.length]")
        self.assertEqual(found, ["loggedOut", None, 0])

    def test_the_end_by_another_terminal_is_noticed(self):
        session = self.run_script("await enter('a'); window.ended = hear(apps.a, 'ended'); return apps.a.credentials.sessionId")
        self.world.service.cli("session", "terminate", session)
        found = self.run_script(
            "const {body} = await ended.next(); return [body.reason, apps.a.credentials, (await apps.a.app.info()).name]")
        self.assertEqual(found, ["operator", None, APP])

    def test_the_end_while_disconnected_is_noticed(self):
        credentials = self.run_script("await enter('a'); apps.a.close(); return apps.a.credentials")
        self.world.service.cli("session", "terminate", credentials["sessionId"])
        found = self.run_script(
            "const app = make('b', {credentials: args[0]}), ended = hear(app, 'ended'); await app.connect();"
            "return [(await ended.next()).body.sessionId, app.credentials, (await app.app.info()).name]", credentials)
        self.assertEqual(found, [credentials["sessionId"], None, APP])

    def test_a_refreshed_token_is_used(self):
        found = self.run_script(
            "const app = await enter('a'), old = app.credentials.token; await app.session.refresh();"
            "await app.account.whoami(); return app.credentials.token !== old")
        self.assertTrue(found)

    def test_a_closed_app_does_not_answer(self):
        self.assertIn("not connected", self.run_script(
            "const app = await enter('a'); const waiting = failure(app.ask('home/list')); app.close(); app.close();"
            "await waiting; return (await failure(app.account.whoami())).message"))


class Repeats(InBrowser):
    def test_a_request_is_repeated_and_has_its_effect_once(self):
        terminal = self.run_script("return (await enter('a', {repeatAfter: 500})).terminalId")

        def asked():
            return [m.body["id"] for m in self.world.watcher.everything
                    if m.topic.endswith(f"{terminal}/request/home/create")]

        # The service relays WebSocket connections. While the service is stopped, messages wait. They reach the broker
        # when the service continues.
        with stopped(self.world.service.process):
            self.run_script(
                "window.asked = apps.a.home.create({name: args[0]});"
                "await until(() => [...apps.a.requests.values()].some(request => request.pause >= 4000))", WORDS)
        # Over HTTP the connection waits for the answer, so the client doesn't repeat the request.
        eventually(lambda: len(asked()) >= (1 if self.transport == "http" else 3), 60, "a request's second repetition")
        home, homes = self.run_script("return [(await asked).homeId, (await apps.a.home.list()).homes]")
        self.assertEqual([h["homeId"] for h in homes], [home])
        self.assertEqual(len(set(asked())), 1)

    def test_a_timeout_is_reported_and_the_request_can_be_repeated(self):
        self.run_script("await enter('a', {repeatAfter: 500})")
        with stopped(self.world.service.process):
            self.assertEqual("TimeoutError", self.run_script(
                "return (await failure(apps.a.ask('home/create', {name: 'late'}, {id: 'late-1', timeout: 2000}))).name"))
        # The service was stopped, so it must first connect to the broker again. Until then, it refuses requests over
        # HTTP.
        home, homes = self.run_script(
            "for (;;) try {"
            "  const {homeId} = await apps.a.ask('home/create', {name: 'late'}, {id: 'late-1'});"
            "  return [homeId, (await apps.a.home.list()).homes];"
            "} catch (error) { if (error.code !== 'Unavailable') throw error; }")
        self.assertEqual([h["homeId"] for h in homes], [home])


class Reconnecting(OwnWorld, InBrowser):
    def test_the_broker_comes_back(self):
        self.run_script("await enter('a')")
        device = self.device(reconnect=True)
        self.run_script("await apps.a.device.bind({did: args[0], passcode: args[1]}); window.statuses = hear(apps.a, 'status')",
                        device.did, device.passcode)
        self.own.service.kill_broker()
        self.run_script("await until(() => !apps.a.isConnected)")
        # A request that is made while the broker is away is answered after the broker's return. Until the workers are
        # connected again, the answer is Unavailable.
        self.assertTrue(self.run_script(
            "for (;;) try { return (await apps.a.account.whoami()).user.uid === apps.a.credentials.uid; }"
            " catch (error) { if (error.code !== 'Unavailable') throw error; }"))
        device.wait(lambda: device.connected, 30, "the device's return")
        eventually(lambda: device.report(data={"power": True})["ok"], 30, "a report")
        self.run_script("await statuses.next(p => p.body.data.power, 30000)")

    def test_a_session_that_ends_while_the_broker_is_away(self):
        session = self.run_script("await enter('a'); window.ended = hear(apps.a, 'ended'); return apps.a.credentials.sessionId")
        self.own.service.kill()
        self.own.service.cli("session", "terminate", session)
        self.own.service.start()
        found = self.run_script(
            "return [(await ended.next(() => true, 40000)).body.sessionId, (await apps.a.app.info()).name]")
        self.assertEqual(found, [session, APP])


class Servers(InBrowser):
    """A maker's server in Node, with an API key."""

    def run_node(self, script, *scopes):
        made = self.world.service.json("key", "add", fresh_id("server"), "--app", APP, "--scope", *scopes)
        text = (f'import {{ Server }} from "{ROOT}/clients/js/server.js";\n'
                f'import {{ App }} from "{ROOT}/clients/js/lamplighter.js";\n'
                f'const url = "http://127.0.0.1:{self.world.service.http_port}";\n'
                f'const server = new Server({{ url, key: "{made["key"]}" }});\n'
                "const failure = promise => promise.then(() => null, error => [error.name, error.code, error.field]);\n"
                f"{script}")
        done = subprocess.run(["node", "--input-type=module"], input=text, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_it_asks_for_users(self):
        uid = self.run_script("return (await enter('a')).credentials.uid")
        device = self.bound()
        found = self.run_node(
            f"const user = server.of('{uid}'), print = value => console.log(JSON.stringify(value));"
            "print((await user.device.list()).devices.map(device => device.did));"
            "print(await failure(server.of('u-none').device.list()));"
            "print(await failure(user.home.list()));"
            "print(await failure(new Server({ url: 'http://127.0.0.1:1', key: 'llk_x', timeout: 1500 }).events.subscriptions()));",
            "device")
        self.assertEqual(found, [[device.did], ["LamplighterError", "ResourceNotFound", "uid"],
                                 ["LamplighterError", "Forbidden", None], ["TimeoutError", None, None]])

    def test_it_follows_events_and_an_app_runs_in_node(self):
        secret = self.world.apps[APP]["secret"]
        found = self.run_node(
            "const { subscriptionId } = await server.events.subscribe({ name: 'node', types: ['account.*'] });"
            f"const app = await new App({{ url, appId: '{APP}', secret: '{secret}', store: null }}).connect();"
            "const { user } = await app.account.loginAnonymous({ countryCode: '49' });"
            "for await (const event of server.follow(subscriptionId)) {"
            "  if (event.uid !== user.uid) continue;"
            "  console.log(JSON.stringify(event.type));"
            "  if (event.type === 'account.changed') break;"
            "  await app.account.updateProfile({ nickname: 'Node' });"
            "}"
            "await server.events.unsubscribe({ subscriptionId }); app.close();", "events")
        self.assertEqual(found, ["account.created", "account.changed"])


def over_http(case):
    """Returns the same tests over HTTP, except the test in which the client uses the secret in place of the token.

    Over HTTP, the client uses its token right after a login. From then on, the service refuses the secret.
    """
    others = {"test_the_secret_in_place_of_the_token_ends_no_session": None}
    return type(f"{case.__name__}OverHTTP", (case,), {"transport": "http", **others})


LoggingInOverHTTP, DevicesOverHTTP, SizesOverHTTP = map(over_http, (LoggingIn, Devices, Sizes))
SessionsOverHTTP, RepeatsOverHTTP, ReconnectingOverHTTP = map(over_http, (Sessions, Repeats, Reconnecting))


class Turns(InBrowser, Pair):
    app = APP

    def test_logging_out_and_in(self):
        for first in range(0, len(PAUSES), ROUNDS):
            rounds = self.run_script(
                "const [names, pauses, password] = args, rounds = [];"
                "const app = await make('a').connect(), heard = hear(app, 'status');"
                "const logIn = n => app.account.login({countryCode: '49', username: names[n % 2], password});"
                "await logIn(0);"
                "for (const [n, pause] of pauses.entries()) {"
                "  await app.account.logout();"
                "  await new Promise(resolve => setTimeout(resolve, 1000 * pause));"
                "  heard.pushes.length = 0;"
                "  const began = performance.now(); const {user} = await logIn(n + 1); const took = performance.now() - began;"
                "  const isUser = (await app.account.whoami()).user.uid === user.uid;"
                "  await until(() => heard.pushes.length);"
                "  rounds.push([took / 1000, isUser, [...new Set(heard.pushes.map(push => push.did))]]);"
                "}"
                "app.close(); return rounds;",
                [self.name(0), self.name(1)], PAUSES[first:first + ROUNDS], PASSWORD)
            for number, (took, is_user, dids) in enumerate(rounds):
                self.note(PAUSES[first + number], took)
                self.assertEqual((is_user, dids), (True, [self.devices[(number + 1) % 2].did]))
        self.tell()


del InBrowser, Pair

if __name__ == "__main__":
    unittest.main()
