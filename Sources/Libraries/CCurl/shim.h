#pragma once
#include <curl/curl.h>

// Swift can't call the variadic curl_easy_setopt and curl_easy_getinfo. Each type of value therefore has a wrapper
// here.

// Swift can't import CURL_GLOBAL_DEFAULT, which is a macro.
static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_reader(CURL *handle, curl_read_callback function, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_READDATA, context);
}

static inline CURLcode ccurl_set_writer(
    CURL *handle, CURLoption function_option, CURLoption data_option,
    curl_write_callback function, void *context
) {
    CURLcode code = curl_easy_setopt(handle, function_option, function);
    return code ? code : curl_easy_setopt(handle, data_option, context);
}

static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode ccurl_set_opener(
    CURL *handle, curl_opensocket_callback function, void *context
) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
}

static inline CURLcode ccurl_set_beginner(
    CURL *handle, curl_prereq_callback function, void *context
) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
    return code ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

// Swift can't import CURL_SOCKET_BAD, which is a macro with a cast.
static inline curl_socket_t ccurl_bad_socket(void) { return CURL_SOCKET_BAD; }

static inline CURLcode ccurl_set_progress(
    CURL *handle, curl_xferinfo_callback function, void *context
) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    return code ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

// Sets the body of a request; libcurl copies the bytes.
static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}
