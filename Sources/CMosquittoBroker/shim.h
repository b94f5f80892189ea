#pragma once
// In Mosquitto 2.0.11 mosquitto_plugin.h lacks its own includes (added in 2.0.13): the order matters.
#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>
#include <mqtt_protocol.h>
