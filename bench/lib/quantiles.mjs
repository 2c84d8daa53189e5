/** @param {number[]} values in milliseconds */
export function quantiles(values) {
  if (values.length === 0) return { samples: 0, p50Ms: null, p99Ms: null, maxMs: null }
  const sorted = Float64Array.from(values).sort()
  const at = (q) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * q) - 1)]
  return {
    samples: sorted.length,
    p50Ms: round(at(0.5)),
    p99Ms: round(at(0.99)),
    maxMs: round(at(1)),
  }
}

/** The value in the middle, by `key`; with an even count the lower one, so that it is a real one. */
export function medianBy(values, key) {
  const sorted = [...values].sort((a, b) => key(a) - key(b))
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

export const round = (value) => Math.round(value * 100) / 100
