#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# serve_hold.py [PORT [ADDRESS]]: a controller of `limber serve`: PD on every actuator. See docs/guide/control.md.
import socket
import struct
import sys

HEADER = struct.Struct("<4sHHQdHHI")  # magic, version, kind, sequence, time, sensors, actuators, zero
SENSORS, COMMANDS, CHALLENGE = 1, 2, 3
server = (sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 14650)
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.settimeout(0.5)
sequence = seen = 0


def send(time, commands):
    global sequence
    sequence += 1
    header = HEADER.pack(b"LMBR", 1, COMMANDS, sequence, time, 0, len(commands), 0)
    link.sendto(header + struct.pack("<%dd" % len(commands), *commands), server)


send(0.0, [])  # a greeting: now sensors come here
while True:
    try:
        packet, sender = link.recvfrom(8192)
    except socket.timeout:
        if seen:
            break  # it has ended
        send(0.0, [])
        continue
    except KeyboardInterrupt:
        break
    if sender != server or len(packet) < HEADER.size:
        continue
    magic, version, kind, number, time, sensor_count, n, _ = HEADER.unpack_from(packet)
    if magic == b"LMBR" and kind == CHALLENGE:  # from another machine: greet with the number given
        link.sendto(HEADER.pack(b"LMBR", 1, COMMANDS, number, 0.0, 0, 0, 0), server)
        continue
    if magic != b"LMBR" or version != 1 or kind != SENSORS or number <= seen:
        continue
    seen = number
    numbers = struct.unpack_from("<%dd" % (sensor_count + 5 * n), packet, HEADER.size)[sensor_count:]
    position, speed, desired, desired_speed = (numbers[i * n:(i + 1) * n] for i in range(4))
    send(time, [80 * (desired[i] - position[i]) + 10 * (desired_speed[i] - speed[i]) for i in range(n)])
print("%d packets seen, the last at t = %.3f s, %d sent" % (seen, time if seen else 0.0, sequence))
