// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Models for the browser tests.

const beam = (modes) => `    flex:
      nodes:
${[0, 0.25, 0.5, 0.75, 1].map((x, i) => `        - {name: n${i}, position: [${x}, 0, 0], mass: 0.2, shape: [[0, 0, ${2 * x}, 0, ${x * x}, 0]]}`).join("\n")}
      stiffness: [${modes}]
`;

/** Two beams in a row, driven: something that bends. */
export const arm = `# An arm of two flexible links falls, and a force at its tip holds \`half of it\` up.
limber: 1
name: bending arm
gravity: [0, -9.81, 0]
bodies:
  - name: upper
    hinge: {type: revolute, axis: [0, 0, 1]}
${beam(60)}  - name: lower
    parent: upper
    at: n4
    hinge: {type: revolute, axis: [0, 0, 1]}
${beam(40)}forces:
  - {name: push, type: force, at: lower/n4, value: [0, 0, {sine: {amplitude: 1, frequency: 1}}]}
  - {name: lift, type: force, at: lower/n4, value: [0, 3, 0]}
initial: {upper: {angle: 0.5}}
run: {duration: 2, interval: 0.01}
outputs: [lower/n4, reactions]
events:
  - {name: half way, when: t, crosses: 1, then: {disable: lift}}
`;

/** A body that tumbles free of all loads: its momentum stays as it is, up to the tolerance. */
export const tumbler = `limber: 1
name: tumbler
bodies:
  - name: brick
    hinge: {type: free}
    mass: 1
    inertia: [1, 2, 3, 0, 0, 0]
    nodes: {tip: {position: [1, 0.2, 0]}}
initial: {brick: {angular_velocity: [0.3, 4, 0.2]}}
run: {duration: 5, interval: 0.02, integrator: {type: erk, tolerance: 1.0e-6}}
view: {traces: [brick/tip]}
`;

/** A mass that hangs on a hinge at rest: the hinge carries its weight. */
export const hanger = (angle) => `limber: 1
name: hanger
gravity: [0, 0, -9.81]
bodies:
  - name: bob
    hinge: {type: revolute, axis: [0, 1, 0]}
    mass: 2
    com: [0, 0, -1]
    nodes: {tip: {position: [0, 0, -1]}}
initial: {bob: {angle: ${angle}}}
run: {duration: 1, interval: 0.05}
outputs: [reactions]
`;

/** A mass that is held at arm's length: its support carries a force and a moment. */
export const shelf = `limber: 1
name: shelf
gravity: [0, 0, -9.81]
bodies:
  - name: board
    hinge: {type: fixed}
    mass: 2
    com: [0.5, 0, 0]
    nodes: {end: {position: [1, 0, 0]}}
run: {duration: 1, interval: 0.1}
outputs: [reactions]
view: {shapes: [{body: board, box: [1, 0.4, 0.1], position: [0.5, 0, 0]}]}
`;

/** A square that swings, coloured from its left edge to its right edge by a value that changes its sign with time. */
export const square = `limber: 1
name: square
bodies:
  - name: panel
    hinge: {type: fixed}
    flex:
      nodes:
        - {name: a, position: [-2, 0, -2], mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}
        - {name: b, position: [2, 0, -2], mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}
        - {name: c, position: [-2, 0, 2], mass: 1, shape: [[0, 0, 0, 0, 0.5, 0]]}
        - {name: d, position: [2, 0, 2], mass: 1, shape: [[0, 0, 0, 0, 1, 0]]}
      stiffness: [90]
signals: {load: 3*panel.eta.0, relief: -3*panel.eta.0}
initial: {panel: {eta: [0.1]}}
run: {duration: 0.7404802, interval: 0.03702401}
view:
  camera: {from: [0, -10, 0]}
  shapes:
    - {body: panel, sheet: [[a, b], [c, d]], values: {a: relief, b: load, c: relief, d: load}, caption: "stress, MPa"}
`;

/** Names that would be markup if anybody let them. */
export const evil = `limber: 1
name: "</script><script>window.evil=1</script><img src=x onerror='window.evil=2'>"
gravity: [0, 0, -9.81]
bodies:
  - name: "<img src=x onerror=window.evil=3>"
    hinge: {type: revolute, axis: [0, 1, 0]}
    mass: 1
    com: [0, 0, -1]
    nodes: {"</script><script>window.evil=4</script>": {position: [0, 0, -1]}}
forces:
  - {name: "<b onmouseover=window.evil=5>x</b>", type: damper, hinge: "<img src=x onerror=window.evil=3>", damping: 0.1}
view:
  shapes:
    - body: "<img src=x onerror=window.evil=3>"
      tube: 0.1
      values: {origin: t, "</script><script>window.evil=4</script>": t}
      caption: "<img src=x onerror=window.evil=7>"
initial: {"<img src=x onerror=window.evil=3>": {angle: 1}}
run: {duration: 1, interval: 0.02}
events:
  - {name: "<svg onload=window.evil=6>", when: t, crosses: 0.5, then: {disable: "<b onmouseover=window.evil=5>x</b>"}}
`;

/** A chain of pendulums. */
export function chain(count, run) {
  const bodies = [];
  for (let i = 0; i < count; ++i) {
    bodies.push(`  - name: link${i}
${i > 0 ? `    parent: link${i - 1}\n    at: tip\n` : ""}    hinge: {type: revolute, axis: [0, 1, 0]}
    mass: 1
    com: [0, 0, -0.05]
    inertia: [0.001, 0.001, 0.0001, 0, 0, 0]
    nodes: {tip: {position: [0, 0, -0.1]}}`);
  }
  return `limber: 1
name: chain of ${count}
gravity: [0, 0, -9.81]
bodies:
${bodies.join("\n")}
initial: {link0: {angle: 0.7}}
run: ${run}
`;
}

/** Comes to grief half way: leaves an unfinished file. */
export const broken = `limber: 1
name: broken
gravity: [0, 0, -9.81]
bodies:
  - name: bob
    hinge: {type: revolute, axis: [0, 1, 0]}
    mass: 1
    com: [0, 0, -1]
forces:
  - {name: bad, type: motor, hinge: bob, value: sqrt(0.5 - t)}
initial: {bob: {angle: 1}}
run: {duration: 1, interval: 0.001, integrator: {type: rk4, step: 0.001}}
`;

/** Mode shapes of the arm, as `limber modes --json` writes them. */
export const modes = JSON.stringify({
  modes: [1, 2, 0].map((n) => ({
    kind: n > 0 ? "oscillation" : "rigid",
    made_of: n > 0 ? { "upper.angle": 0.75, "lower.eta.0": 0.25 } : { "lower.angle": 1 },
    frequency_hz: 1.5 * n,
    damping_ratio: 0.01,
    nodes: {
      upper: Object.fromEntries([0, 1, 2, 3, 4].map((i) => ["n" + i, { translation: [0, (i / 4) ** 2, 0], rotation: [0, 0, i / 2] }])),
      lower: Object.fromEntries(["origin", "n0", "n1", "n2", "n3", "n4"].map((name, i) => [name, { translation: [0, 1 + (n === 2 ? -1 : 1) * (i / 5), 0], rotation: [0, 0, 2] }])),
    },
  })),
});
