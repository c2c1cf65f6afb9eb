#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# A controller in a process of its own: PD on every actuator. See docs/guide/control.md.
import sys

version = sys.stdin.readline().split()
sensors = sys.stdin.readline().rstrip("\n").split("\t")[1:]
actuators = sys.stdin.readline().rstrip("\n").split("\t")[1:]
n = len(actuators)
for line in sys.stdin:
    numbers = [float(word) for word in line.split()]
    rest = numbers[1 + len(sensors):]
    position, speed, desired, desired_speed = (rest[i * n:(i + 1) * n] for i in range(4))
    commands = [80 * (desired[i] - position[i]) + 10 * (desired_speed[i] - speed[i]) for i in range(n)]
    print(*commands, flush=True)
