#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>
// Swift's Glibc module doesn't include eventfd.h.
#include <sys/eventfd.h>
