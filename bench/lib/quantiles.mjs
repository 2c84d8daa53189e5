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

/** The median by `order`, which sorts the better first; of two middle values the better one. */
export function medianBy(values, order) {
  return [...values].sort(order)[Math.floor((values.length - 1) / 2)]
}

export const round = (value) => Math.round(value * 100) / 100
