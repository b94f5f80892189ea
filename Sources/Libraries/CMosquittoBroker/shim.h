#pragma once
// Mosquitto 2.0.11's mosquitto_plugin.h doesn't include the headers that it needs (2.0.13 does). The order of the
// includes below therefore matters.
#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>
#include <malloc.h>
#include <mqtt_protocol.h>
#include <string.h>

// The broker provides these functions to the plugin. The declarations are weak, so the tests can be linked without a
// broker. Swift can't declare an imported function as weak, so it calls the wrappers below.
#pragma weak mosquitto_log_printf
#pragma weak mosquitto_callback_register
#pragma weak mosquitto_callback_unregister
#pragma weak mosquitto_client_address
#pragma weak mosquitto_client_certificate
#pragma weak mosquitto_client_clean_session
#pragma weak mosquitto_client_id
#pragma weak mosquitto_client_keepalive
#pragma weak mosquitto_client_username
#pragma weak mosquitto_kick_client_by_clientid
#pragma weak mosquitto_broker_publish
#pragma weak mosquitto_client_sub_count
#pragma weak mosquitto_property_next
#pragma weak mosquitto_property_identifier
#pragma weak mosquitto_property_read_byte
#pragma weak mosquitto_property_read_string
#pragma weak mosquitto_property_read_binary
#pragma weak mosquitto_property_read_string_pair
#pragma weak mosquitto_property_add_byte
#pragma weak mosquitto_property_add_int32
#pragma weak mosquitto_property_add_string
#pragma weak mosquitto_property_add_binary
#pragma weak mosquitto_property_add_string_pair
#pragma weak mosquitto_property_free_all
#pragma weak mosquitto_malloc
#pragma weak mosquitto_free

// Swift can't call variadic functions.
static inline void gate_log(int level, const char *text) {
    mosquitto_log_printf(level, "%s", text);
}

static inline int gate_register(
    mosquitto_plugin_id_t *plugin, int event, MOSQ_FUNC_generic_callback callback, const char *topic,
    void *userdata) {
    return mosquitto_callback_register(plugin, event, callback, topic, userdata);
}

static inline const char *gate_client_address(const struct mosquitto *client) {
    return mosquitto_client_address(client);
}

static inline const char *gate_client_id(const struct mosquitto *client) {
    return mosquitto_client_id(client);
}

static inline const char *gate_client_username(const struct mosquitto *client) {
    return mosquitto_client_username(client);
}

// Functions of OpenSSL, which the broker provides. The functions are declared here because OpenSSL's headers aren't
// needed for anything else. The declarations are weak, because a broker without TLS doesn't have these functions.
struct tm;
void X509_free(void *certificate);
void *X509_get_subject_name(const void *certificate);
const void *X509_get0_notBefore(const void *certificate);
int X509_NAME_get_text_by_NID(void *name, int nid, char *text, int size);
int X509_NAME_entry_count(const void *name);
int ASN1_TIME_to_tm(const void *time, struct tm *parts);
#pragma weak X509_free
#pragma weak X509_get_subject_name
#pragma weak X509_get0_notBefore
#pragma weak X509_NAME_get_text_by_NID
#pragma weak X509_NAME_entry_count
#pragma weak ASN1_TIME_to_tm

// Reads a certificate's subject and the time at which its validity begins. The subject must be a single common name.
// The broker has verified the certificate. Returns false if the client has no certificate with such a subject.
static inline bool gate_client_certificate(
    const struct mosquitto *client, char *name, int size, struct tm *begin) {
    if (mosquitto_client_certificate == NULL || X509_free == NULL) return false;
    void *certificate = mosquitto_client_certificate(client);
    if (certificate == NULL) return false;
    void *subject = X509_get_subject_name(certificate);
    // 13 is NID_commonName. If the name contains a zero byte, strlen counts only the bytes before the zero byte. The
    // comparison with OpenSSL's count therefore refuses such a name.
    int count = subject != NULL && X509_NAME_entry_count(subject) == 1
        ? X509_NAME_get_text_by_NID(subject, 13, name, size) : -1;
    bool isRead = count > 0 && count < size - 1 && strlen(name) == (size_t)count
        && ASN1_TIME_to_tm(X509_get0_notBefore(certificate), begin) == 1;
    X509_free(certificate);
    return isRead;
}

static inline int gate_client_keepalive(const struct mosquitto *client) {
    return mosquitto_client_keepalive(client);
}

static inline bool gate_client_clean_start(const struct mosquitto *client) {
    return mosquitto_client_clean_session(client);
}

static inline int gate_kick(const char *client_id) {
    return mosquitto_kick_client_by_clientid(client_id, false);
}

// Publishes a copy of a payload. Takes ownership of the properties, even if the call fails. In Mosquitto 2.0.11,
// mosquitto_broker_publish_copy doesn't count the memory of the copy. The broker subtracts this memory from its count
// when it frees the copy. Over time, the count would fall below zero. The broker would read the negative count as a
// very large number, above memory_limit, and would accept no more connections.
static inline int gate_publish_with(
    const char *topic, const void *payload, int count, int qos, bool retain, mosquitto_property *properties) {
    void *copy = mosquitto_malloc((size_t)count + 1);
    if (copy == NULL) {
        mosquitto_property_free_all(&properties);
        return MOSQ_ERR_NOMEM;
    }
    if (count > 0) memcpy(copy, payload, (size_t)count);
    int code = mosquitto_broker_publish(NULL, topic, count, copy, qos, retain, properties);
    if (code != MOSQ_ERR_SUCCESS) {
        mosquitto_free(copy);
        mosquitto_property_free_all(&properties);
    }
    return code;
}

// Copies a string to the broker's memory. The copy can replace the topic of a message. The broker frees the old topic
// and the copy.
static inline char *gate_copy_topic(const void *topic, int count) {
    char *copy = mosquitto_malloc((size_t)count + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, topic, (size_t)count);
    copy[count] = 0;
    return copy;
}

static inline int gate_publish(
    const char *topic, const void *payload, int count, int qos, mosquitto_property *properties) {
    return gate_publish_with(topic, payload, count, qos, false, properties);
}

// The length of a traceparent of the W3C's Trace Context, in bytes.
enum { GATE_TRACEPARENT_BYTES = 55 };

// Publishes a message with the MQTT 5 properties that a worker can set. A null pointer or an expiry of 0 leaves a
// property unset.
static inline int gate_publish_message(
    const char *topic, const void *payload, int count, int qos, bool retain, uint32_t expiry,
    const void *correlation, uint16_t correlation_count, const void *traceparent, int traceparent_count) {
    mosquitto_property *properties = NULL;
    if (expiry > 0) {
        mosquitto_property_add_int32(&properties, MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry);
    }
    if (correlation != NULL) {
        mosquitto_property_add_binary(
            &properties, MQTT_PROP_CORRELATION_DATA, correlation, correlation_count);
    }
    if (traceparent != NULL && traceparent_count == GATE_TRACEPARENT_BYTES) {
        char value[GATE_TRACEPARENT_BYTES + 1] = {0};
        memcpy(value, traceparent, GATE_TRACEPARENT_BYTES);
        mosquitto_property_add_string_pair(&properties, MQTT_PROP_USER_PROPERTY, "traceparent", value);
    }
    return gate_publish_with(topic, payload, count, qos, retain, properties);
}

static inline int gate_client_sub_count(const struct mosquitto *client) {
    return mosquitto_client_sub_count(client);
}

static inline const mosquitto_property *gate_property_next(const mosquitto_property *property) {
    return mosquitto_property_next(property);
}

static inline int gate_property_identifier(const mosquitto_property *property) {
    return mosquitto_property_identifier(property);
}

// Of the next four functions, those that read strings or binary data return copies made with malloc. The caller must
// free these copies.
static inline bool gate_property_byte(const mosquitto_property *property, int identifier, uint8_t *value) {
    return mosquitto_property_read_byte(property, identifier, value, false) != NULL;
}

static inline bool gate_property_string(const mosquitto_property *property, int identifier, char **value) {
    return mosquitto_property_read_string(property, identifier, value, false) != NULL;
}

static inline bool gate_property_binary(
    const mosquitto_property *property, int identifier, void **value, uint16_t *count) {
    return mosquitto_property_read_binary(property, identifier, value, count, false) != NULL;
}

static inline bool gate_property_pair(
    const mosquitto_property *property, int identifier, char **name, char **value) {
    return mosquitto_property_read_string_pair(property, identifier, name, value, false) != NULL;
}

static inline int gate_property_add_byte(mosquitto_property **list, int identifier, uint8_t value) {
    return mosquitto_property_add_byte(list, identifier, value);
}

static inline int gate_property_add_string(mosquitto_property **list, int identifier, const char *value) {
    return mosquitto_property_add_string(list, identifier, value);
}

static inline int gate_property_add_binary(
    mosquitto_property **list, int identifier, const void *value, uint16_t count) {
    return mosquitto_property_add_binary(list, identifier, value, count);
}

static inline int gate_property_add_pair(
    mosquitto_property **list, int identifier, const char *name, const char *value) {
    return mosquitto_property_add_string_pair(list, identifier, name, value);
}

static inline void gate_property_free(mosquitto_property **list) {
    mosquitto_property_free_all(list);
}
