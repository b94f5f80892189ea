#pragma once
#include <mosquitto.h>
#include <mqtt_protocol.h>
// Swift's Glibc module leaves it out.
#include <sys/eventfd.h>
