#include "lamplighter.h"

static bool power;
static int brightness = 60;
static double temperature = 21.5;
static char mode[16] = "white";

/* Writes the state in the form that the product's document declares. */
static void show(char *state) {
    snprintf(state, LL_STATE, "{\"power\":%s,\"brightness\":%d,\"mode\":\"%s\",\"temperature\":%.1f}",
             power ? "true" : "false", brightness, mode, temperature);
}

/* Carries out the known members; fails (with a code other than 0) if a command names any other. */
static int obey(void *context, const char *data, bool is_query, char *state) {
    struct ll_member one;
    int code = 0;
    (void)context;
    for (const char *at = NULL; !is_query && (at = ll_next(data, at, &one));) {
        if (ll_is(&one, "power")) power = *one.value == 't';
        else if (ll_is(&one, "brightness")) brightness = (int)strtol(one.value, NULL, 10);
        else if (ll_is(&one, "mode")) ll_text(data, "mode", mode, sizeof mode);
        else code = 1;
    }
    printf("light %s, %d %%, %s\n", power ? "on" : "off", brightness, mode);
    show(state);
    return code;
}

int main(int count, char **arguments) {  /* host, port, key, secret; for TLS the CA file */
    char mac[16] = "", state[LL_STATE];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count != 5 && count != 6) return 2;
    ll_random_hex(mac, 6);  /* a real device has its own MAC, and a random passcode */
    struct ll_options options = {
        .host = arguments[1], .port = atoi(arguments[2]), .authority = arguments[5], .product_key = arguments[3],
        .product_secret = arguments[4], .mac = mac, .passcode = "lamp-4711", .hardware = "{\"link\":\"wifi\"}",
        .identity = "lamp.id", .obey = obey,
    };
    struct ll_device *lamp = ll_start(&options);
    bool is_named = false;
    for (double next = 0;;) {
        ll_turn(lamp, 100);
        if (lamp->is_online && lamp->did[0] && !is_named) { printf("did %s\n", lamp->did); is_named = true; }
        if (ll_now() < next) continue;
        show(state);
        ll_report(lamp, state);  /* kept until answered, also without a connection */
        temperature = 21.5 + (rand() % 20 - 10) / 10.0;  /* a real device measures */
        next = ll_now() + 60;
    }
}
