/* ask(method, params): sends a request as the terminal and prints the answer; returns 0 if one
   was received. Needs libmosquitto (cc example.c -lmosquitto) and the LL_ variables. */
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct ask_request {
    char base[256], topic[384], id[32];
    const char *params, *token;
    int is_answered;
};

static const char *ask_variable(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static void ask_connected(struct mosquitto *client, void *data, int code)
{
    struct ask_request *request = data;
    char filter[300];
    if (code) {
        fprintf(stderr, "the broker refused: %s\n", mosquitto_reason_string(code));
        exit(1);
    }
    snprintf(filter, sizeof filter, "%s/response", request->base);
    mosquitto_subscribe(client, NULL, filter, 1);
}

static void ask_subscribed(struct mosquitto *client, void *data, int mid, int count, const int *granted)
{
    struct ask_request *request = data;
    const char *token = request->token ? request->token : "";
    size_t room = strlen(request->params) + strlen(token) + 128;
    char *body = malloc(room);
    (void)mid, (void)count, (void)granted;
    if (!body) exit(1);
    snprintf(body, room, "{\"id\":\"%s\",%s%s%s\"params\":%s}", request->id,
             request->token ? "\"token\":\"" : "", token, request->token ? "\"," : "", request->params);
    mosquitto_publish(client, NULL, request->topic, (int)strlen(body), body, 1, false);
    free(body);
}

static void ask_message(struct mosquitto *client, void *data, const struct mosquitto_message *message)
{
    struct ask_request *request = data;
    char mark[48];
    snprintf(mark, sizeof mark, "\"id\":\"%s\"", request->id);
    if (!message->payload || !strstr(message->payload, mark)) return;
    printf("%.*s\n", message->payloadlen, (char *)message->payload);
    request->is_answered = 1;
    mosquitto_disconnect(client);
}

static int ask(const char *method, const char *params)
{
    const char *app = ask_variable("LL_APP", ""), *terminal = ask_variable("LL_TERMINAL", "");
    struct ask_request request = { .params = params, .token = ask_variable("LL_TOKEN", NULL) };
    struct timespec now;
    char username[128];
    time_t limit = time(NULL) + 15;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(request.id, sizeof request.id, "%lld%09ld", (long long)now.tv_sec, now.tv_nsec);
    snprintf(request.base, sizeof request.base, "ll/v1/app/%s/%s", app, terminal);
    snprintf(request.topic, sizeof request.topic, "%s/request/%s", request.base, method);
    snprintf(username, sizeof username, "app:%s", app);

    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(terminal, true, &request);
    if (!client) return 1;
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_username_pw_set(client, username, request.token ? request.token : ask_variable("LL_SECRET", ""));
    mosquitto_connect_callback_set(client, ask_connected);
    mosquitto_subscribe_callback_set(client, ask_subscribed);
    mosquitto_message_callback_set(client, ask_message);
    int port = atoi(ask_variable("LL_PORT", "1883"));
    if (mosquitto_connect(client, ask_variable("LL_HOST", "127.0.0.1"), port, 30) == MOSQ_ERR_SUCCESS)
        while (!request.is_answered && time(NULL) < limit && mosquitto_loop(client, 200, 1) == MOSQ_ERR_SUCCESS)
            continue;
    mosquitto_destroy(client);
    mosquitto_lib_cleanup();
    return request.is_answered ? 0 : 1;
}
