/* A Lamplighter device in one header, on libmosquitto (cc lamp.c -lmosquitto). C99 and POSIX; single-threaded.

       struct ll_device *device = ll_start(&options);
       for (;;) { ll_turn(device, 100); if (...) ll_report(device, "{\"temperature\":21.5}"); }

   It registers once and keeps its identity in a file, reconnects automatically, repeats each report until it's
   acknowledged, obeys each command once, and publishes its presence. lamp.c is an example. */
#ifndef LAMPLIGHTER_H
#define LAMPLIGHTER_H
#include <errno.h>
#include <mosquitto.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define LL_UNDER_WAY 16     /* the most unanswered reports at a time; others wait for their turn */
#define LL_KEPT 48          /* the most reports kept; 16 more for answers to commands */
#define LL_FIRST_PAUSE 5.0  /* seconds before the first repeat; then twice as long each time */
#define LL_LAST_PAUSE 300.0 /* the most seconds between repeats, without jitter */
#define LL_STATE 4096       /* bytes of the state in the answer to a command */
#ifndef LL_TELL
#define LL_TELL(words) fprintf(stderr, "%s\n", words) /* prints a problem */
#endif

/* The options of a device. The texts must live as long as the device. */
struct ll_options {
    const char *host; int port; /* the broker */
    const char *authority;      /* the broker's certificate authority, a file; NULL: no TLS */
    const char *product_key, *product_secret;
    const char *mac, *passcode; /* 12 lowercase hex digits or an IMEI; the secret that proves possession */
    const char *hardware;       /* a JSON object about the hardware; {} is enough */
    const char *identity;       /* the file with did, secret, last command; keep it secret */
    /* Carries out a command. `data` is its JSON object, zero-terminated; if `is_query`, it only requests values.
       Writes the state as a JSON object into `state` (LL_STATE bytes). Returns 0, or another number on failure. */
    int (*obey)(void *context, const char *data, bool is_query, char *state);
    void *context;
};

struct ll_kept { char id[40], *payload; double at, pause; };
struct ll_device {
    struct ll_options options;
    char did[72], secret[264], base[200], session[20], words[64];
    long long last_cid;
    unsigned long reports;
    bool is_connected, is_online, is_renewed;  /* online: subscribed, receives answers */
    double next_connect, connect_pause, next_register, register_pause;
    struct ll_kept kept[LL_KEPT + LL_UNDER_WAY];
    int count;
    struct mosquitto *client;
};
/* Minimal JSON. Returns the end of the value that begins here, after its last character. */
static inline const char *ll_value_end(const char *at) {
    int depth = 0;
    for (; *at; at++) {
        bool is_end = false;
        if (*at == '"') {
            for (at++; *at && *at != '"'; at++) if (*at == '\\' && at[1]) at++;
            if (!*at) return at;
            is_end = true;
        } else if (*at == '{' || *at == '[') depth++;
        else if (*at == '}' || *at == ']') { if (--depth < 0) return at; is_end = true; }
        else if (*at == ',' && depth == 0) return at;
        if (is_end && depth == 0) return *at ? at + 1 : at;
    }
    return at;
}
/* A member of an object, in its written form. */
struct ll_member { const char *name, *value; int name_length, length; };
/* Finds the next member: pass NULL as `at` first, then the last result; returns NULL after the last member. */
static inline const char *ll_next(const char *object, const char *at, struct ll_member *member) {
    if (!at) at = (at = strchr(object, '{')) ? at + 1 : "";
    member->name = at + strspn(at, " \t\r\n,") + 1;
    if (member->name[-1] != '"') return NULL;
    const char *end = ll_value_end(member->name - 1);
    if ((member->name_length = (int)(end - member->name) - 1) < 0) return NULL;
    member->value = end + strspn(end, " \t\r\n:");
    end = ll_value_end(member->value);
    member->length = (int)(end - member->value);
    return end;
}
/* Returns whether a member has a name. */
static inline bool ll_is(const struct ll_member *one, const char *name) {
    return one->name_length == (int)strlen(name) && !strncmp(one->name, name, strlen(name));
}
/* Returns the value of an object's member and its length; NULL if there's none. */
static inline const char *ll_find(const char *object, const char *name, int *length) {
    struct ll_member member;
    for (const char *at = NULL; (at = ll_next(object, at, &member));) {
        *length = member.length;
        if (ll_is(&member, name)) return member.value;
    }
    return NULL;
}
/* Returns a member's number; 1 for true, 0 for anything else. */
static inline double ll_number(const char *object, const char *name) {
    const char *value = ll_find(object, name, &(int){0});
    return !value ? 0 : *value == 't' ? 1 : strtod(value, NULL);
}
/* Copies a member's text in its written form; returns false if it's absent or too long. */
static inline bool ll_text(const char *object, const char *name, char *to, size_t size) {
    int length;
    const char *value = ll_find(object, name, &length);
    if (!value || *value != '"' || (size_t)length - 1 > size) return false;
    snprintf(to, size, "%.*s", length - 2, value + 1);
    return true;
}
static inline double ll_now(void) {
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) ? 0 : (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
static inline void ll_random_hex(char *to, int bytes) {
    FILE *file = fopen("/dev/urandom", "rb");
    for (int i = 0; file && i < bytes; i++) sprintf(to + 2 * i, "%02x", (unsigned)fgetc(file) & 255);
    if (file) fclose(file);
}
/* Doubles a pause up to a maximum, with jitter: devices that lost the same service mustn't all reconnect at once. */
static inline double ll_longer(double *pause, double first, double last) {
    *pause = *pause == 0 ? first : *pause * 2 < last ? *pause * 2 : last;
    return *pause * (0.8 + 0.4 * rand() / (double)RAND_MAX);
}
static inline const char *ll_presence(struct ll_device *device, bool is_online) {
    const char *is = is_online ? "true" : "false";
    snprintf(device->words, sizeof device->words, "{\"online\":%s,\"session\":\"%s\"}", is, device->session);
    return device->words;
}
static inline void ll_save(struct ll_device *device) {
    char other[1024];
    snprintf(other, sizeof other, "%s.new", device->options.identity);
    mode_t others = umask(077); /* only this user can read the secret */
    FILE *file = fopen(other, "w");
    umask(others);
    bool is_written = file && fprintf(file, "%s %s %lld\n", device->did, device->secret, device->last_cid) > 0;
    if (file) is_written = fclose(file) == 0 && is_written;
    if (!is_written || rename(other, device->options.identity) != 0) LL_TELL("the identity can't be kept");
}
static inline void ll_publish(struct ll_device *device, const char *leaf, const char *payload) {
    char topic[256];
    snprintf(topic, sizeof topic, "%s/%s", device->base, leaf);
    mosquitto_publish(device->client, NULL, topic, (int)strlen(payload), payload, 1, false);
}
/* Keeps a report under a new id; returns false if there's no space. `head` is empty or ends in a comma. */
static inline bool ll_keep(struct ll_device *device, const char *head, const char *data, int room) {
    size_t size = strlen(data) + strlen(head) + 80;
    struct ll_kept *kept = &device->kept[device->count];
    if (device->count >= room || !(kept->payload = malloc(size))) return false;
    device->count++; /* each report has a new id, even after a restart: the service takes a known id for a repeat */
    snprintf(kept->id, sizeof kept->id, "%s-%lu", device->session, ++device->reports);
    snprintf(kept->payload, size, "{\"id\":\"%s\",%s\"data\":%s}", kept->id, head, data);
    kept->at = kept->pause = 0;
    return true;
}
/* Reports a JSON object, repeatedly until the service has stored it; returns false if 48 reports wait already. */
static inline bool ll_report(struct ll_device *device, const char *data) { return ll_keep(device, "", data, LL_KEPT); }
/* Reports that a product's alert begins or ends; it stays open, even across restarts, until its end is reported. */
static inline bool ll_alert(struct ll_device *device, const char *name, bool is_open) {
    char head[128];
    snprintf(head, sizeof head, "\"alerts\":[{\"name\":\"%s\",\"value\":%s}],", name, is_open ? "true" : "false");
    return ll_keep(device, head, "{}", LL_KEPT);
}
static inline void ll_settle(struct ll_device *device, const char *answer) {
    char id[40] = "";
    int i = 0;
    ll_text(answer, "id", id, sizeof id);
    while (i < device->count && strcmp(device->kept[i].id, id)) i++;
    if (ll_number(answer, "ok") == 0) LL_TELL(answer);
    if (i == device->count) return;
    free(device->kept[i].payload);
    device->count--;
    memmove(&device->kept[i], &device->kept[i + 1], (size_t)(device->count - i) * sizeof device->kept[0]);
}
static inline void ll_obey(struct ll_device *device, const char *command) {
    char head[64], type[16] = "", state[LL_STATE] = "{}", *data = NULL;
    int length = 0, code = 1;
    long long cid = (long long)ll_number(command, "cid");
    double until = ll_number(command, "expiresAt") / 1000;
    time_t clock = time(NULL);  /* a clock before 2020 was never set */
    if (cid <= device->last_cid || (clock > 1577836800 && until > 0 && (double)clock > until)) return;
    const char *value = ll_find(command, "data", &length);
    if (value && (data = malloc((size_t)length + 1))) snprintf(data, (size_t)length + 1, "%s", value);
    ll_text(command, "type", type, sizeof type);
    if (data && device->options.obey)
        code = device->options.obey(device->options.context, data, !strcmp(type, "query"), state);
    free(data);
    device->last_cid = cid;
    ll_save(device);
    snprintf(head, sizeof head, "\"cid\":%lld,\"code\":%d,", cid, code);
    if (!ll_keep(device, head, state, LL_KEPT + LL_UNDER_WAY)) LL_TELL("no room for an answer");
}
static inline void ll_on_message(struct mosquitto *client, void *data, const struct mosquitto_message *message) {
    struct ll_device *device = data;
    const char *leaf = strrchr(message->topic, '/');
    char *json = leaf ? calloc(1, (size_t)message->payloadlen + 1) : NULL;
    (void)client;
    if (!json) return;
    memcpy(json, message->payload, (size_t)message->payloadlen);
    if (!strcmp(leaf, "/response")) ll_settle(device, json);
    else if (!strcmp(leaf, "/command")) ll_obey(device, json);
    else if (!device->did[0]) {
        const char *result = ll_find(json, "result", &(int){0});
        device->is_renewed = result && ll_text(result, "did", device->did, sizeof device->did)
            && ll_text(result, "secret", device->secret, sizeof device->secret);
        if (device->is_renewed) ll_save(device);
        else LL_TELL(json);
    }
    free(json);
}
static inline void ll_on_connect(struct mosquitto *client, void *data, int code) {
    struct ll_device *device = data;
    char filters[2][256], *both[2] = {filters[0], filters[1]};
    if (code != 0) { LL_TELL("the broker refused: wrong key or secret, or a limit; `lamplighter refusals`"); return; }
    device->connect_pause = 0;
    snprintf(filters[0], sizeof filters[0], "%s/%s", device->base, device->did[0] ? "response" : "registered");
    snprintf(filters[1], sizeof filters[1], "%s/command", device->base);
    mosquitto_subscribe_multiple(client, NULL, device->did[0] ? 2 : 1, both, 1, 0, NULL);
}
static inline void ll_on_subscribe(struct mosquitto *client, void *data, int mid, int count, const int *granted) {
    struct ll_device *device = data;
    (void)client, (void)mid, (void)count, (void)granted;
    device->is_online = true;
    if (device->did[0]) ll_publish(device, "presence", ll_presence(device, true));
    for (int i = 0; i < device->count; i++) device->kept[i].at = 0;  /* resend pending ones now */
}
/* Makes the connection's client: with the product's login until there's an identity, then with the device's. */
static inline void ll_make(struct ll_device *device) {
    const struct ll_options *options = &device->options;
    bool own = device->did[0] != 0;
    const char *kind = own ? "device" : "product", *id = own ? device->did : options->product_key;
    char topic[256], user[90];
    if (device->client) mosquitto_destroy(device->client);
    device->is_connected = device->is_online = device->is_renewed = false;
    snprintf(device->base, sizeof device->base, "ll/v1/%s/%s%s%s", kind, id, own ? "" : "/", own ? "" : options->mac);
    snprintf(user, sizeof user, "%s:%s", kind, id);
    device->client = mosquitto_new(own ? id : options->mac, true, device);
    mosquitto_connect_callback_set(device->client, ll_on_connect);
    mosquitto_subscribe_callback_set(device->client, ll_on_subscribe);
    mosquitto_message_callback_set(device->client, ll_on_message);
    mosquitto_username_pw_set(device->client, user, own ? device->secret : options->product_secret);
    snprintf(topic, sizeof topic, "%s/presence", device->base);
    if (own) mosquitto_will_set(device->client, topic, (int)strlen(ll_presence(device, false)), device->words, 1, false);
    if (options->authority && mosquitto_tls_set(device->client, options->authority, NULL, NULL, NULL, NULL) != 0) {
        LL_TELL("the authority's file can't be used");
        exit(1); /* never without TLS: the secret would be sent unencrypted */
    }
}
/* Creates a device, which connects in ll_turn(). */
static inline struct ll_device *ll_start(const struct ll_options *options) {
    struct ll_device *device = calloc(1, sizeof *device);
    if (!device) abort();
    mosquitto_lib_init();
    device->options = *options;
    ll_random_hex(device->session, 6);
    srand((unsigned)strtoul(device->session + 4, NULL, 16));
    FILE *file = fopen(options->identity, "r");
    if (file && fscanf(file, "%71s %263s %lld", device->did, device->secret, &device->last_cid) < 2) device->did[0] = 0;
    if (file) fclose(file);
    ll_make(device);
    return device;
}
static inline void ll_send_due(struct ll_device *device, double now) {
    for (int i = 0; i < device->count && i < LL_UNDER_WAY; i++) {
        struct ll_kept *kept = &device->kept[i];
        if (kept->at > now) continue;
        ll_publish(device, "report", kept->payload);
        kept->at = now + ll_longer(&kept->pause, LL_FIRST_PAUSE, LL_LAST_PAUSE);
    }
}
/* Does due work, and waits up to a number of milliseconds for the network; call it repeatedly. */
static inline void ll_turn(struct ll_device *device, int milliseconds) {
    double now = ll_now();
    if (device->is_renewed) { mosquitto_disconnect(device->client); ll_make(device); }
    if (!device->is_connected && now >= device->next_connect) {
        int result = mosquitto_connect(device->client, device->options.host, device->options.port, 60);
        device->is_connected = result == 0;
        if (result) LL_TELL(result == MOSQ_ERR_ERRNO ? strerror(errno) : mosquitto_strerror(result));
        device->next_connect = now + ll_longer(&device->connect_pause, 1, 60);
    }
    if (device->is_online && device->did[0]) ll_send_due(device, now);
    if (device->is_online && !device->did[0] && now >= device->next_register) {
        char payload[1024];
        snprintf(payload, sizeof payload, "{\"id\":\"%s\",\"mac\":\"%s\",\"passcode\":\"%s\",\"hardware\":%s}",
                 device->session, device->options.mac, device->options.passcode, device->options.hardware);
        ll_publish(device, "register", payload);
        device->next_register = now + ll_longer(&device->register_pause, LL_FIRST_PAUSE, LL_LAST_PAUSE);
    }
    if (mosquitto_loop(device->client, milliseconds, 1) != MOSQ_ERR_SUCCESS) {
        device->is_connected = device->is_online = false;
        nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
    }
}
/* Disconnects, and frees the device with its unanswered reports. */
static inline void ll_stop(struct ll_device *device) {
    mosquitto_disconnect(device->client);
    mosquitto_destroy(device->client);
    while (device->count > 0) free(device->kept[--device->count].payload);
    free(device);
}
#endif
