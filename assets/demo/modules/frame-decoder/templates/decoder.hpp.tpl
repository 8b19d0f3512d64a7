// Payload of {{ spacecraft }}, {{ fields | length }} fields. Big-endian, as received.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace {{ cpp_namespace | default("halyard::downlink") }} {

struct {{ spacecraft | replace("-", "") }}Payload {
{%- for field in fields %}
    {{ field.cpp_type }} {{ field.name | lower }};{% if field.unit %}  // {{ field.unit }}{% endif %}
{%- endfor %}
};

// False when the payload is shorter than the struct; nothing is written then.
bool decode(std::span<const std::byte> payload, {{ spacecraft | replace("-", "") }}Payload& out);

}  // namespace
