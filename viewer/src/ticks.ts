// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Round numbers for axes and colour bars, and labels that differ when the numbers do.

/** Round numbers from low to high, about `count` of them. */
export function makeTicks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= rough * (1 - 1e-9))!;
  const out: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) {
    out.push(i * step);
  }
  return out;
}

/** Labels with as many digits as it takes to tell the numbers apart, the same number of them in all labels. */
export function labelTicks(ticks: number[]): string[] {
  const largest = Math.max(0, ...ticks.map(Math.abs));
  let step = Infinity;
  for (let i = 1; i < ticks.length; ++i) {
    step = Math.min(step, Math.abs(ticks[i] - ticks[i - 1]));
  }
  if (!(step > 0 && Number.isFinite(step))) {
    step = largest || 1;
  }
  const byPower = largest >= 1e6 || (largest > 0 && largest < 1e-3);
  let labels: string[] = [];
  for (let digits = 0; digits <= 15; ++digits) {
    labels = ticks.map((x) => {
      const clean = Math.abs(x) < 1e-9 * step ? 0 : x;
      return clean === 0 ? "0" : byPower ? clean.toExponential(digits) : clean.toFixed(digits);
    });
    if (labels.every((label, i) => Math.abs(Number(label) - ticks[i]) < 0.01 * step)) {
      break;
    }
  }
  return labels;
}

/** The round number at or above x, for the end of a colour bar. */
export function roundUp(x: number): number {
  if (!(x > 0)) {
    return 1;
  }
  const power = Math.pow(10, Math.floor(Math.log10(x) + 1e-9));
  // what round-off of single precision adds does not count
  const factor = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((f) => f * power >= x * (1 - 1e-6))!;
  return Number((factor * power).toPrecision(6));
}

/** A range for an axis around values from low to high; values that do not differ get room around them. */
export function makeRange(low: number, high: number): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) {
    return [-1, 1];
  }
  const half = high > low ? 0.06 * (high - low) : low !== 0 ? 0.1 * Math.abs(low) : 1;
  return [low - half, high + half];
}
