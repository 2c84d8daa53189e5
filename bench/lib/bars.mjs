/**
 * The bars that results have to reach. Each returns the requirement, the measured value and whether
 * it holds; `pass` is null if a system needed for the comparison did not run.
 *
 * @typedef {{ rule: string, value: string, pass: boolean | null }} Bar
 * @typedef {Record<string, object>} Results
 */

/** Punctual's `key` is at least `factor` times the best of `others`. @returns {Bar} */
export function atLeast(results, key, factor, label, others) {
  const rule = `>= ${factor} x ${label}`
  const best = Math.max(...values(results, key, others))
  const ours = results.punctual?.[key]
  if (ours === undefined || !Number.isFinite(best)) return { rule, value: 'not run', pass: null }
  const ratio = ours / best
  return { rule, value: `${ratio.toFixed(2)} x`, pass: ratio >= factor }
}

/** Punctual's `key` is no higher than the lowest of `others`. @returns {Bar} */
export function noWorse(results, key, label, others) {
  const rule = `${label} no worse than the best PostgreSQL peer`
  const best = Math.min(...values(results, key, others))
  const ours = results.punctual?.[key]
  if (ours === undefined || !Number.isFinite(best)) return { rule, value: 'not run', pass: null }
  return { rule, value: `${ours} ms, best peer ${best} ms`, pass: ours <= best }
}

/** Punctual's `key` is at most `factor` times the lowest of `others`. @returns {Bar} */
export function atMostTimes(results, key, factor, label, others) {
  const rule = `<= ${factor} x ${label}`
  const best = Math.min(...values(results, key, others))
  const ours = results.punctual?.[key]
  if (ours === undefined || !Number.isFinite(best)) return { rule, value: 'not run', pass: null }
  const ratio = ours / best
  return { rule, value: `${ratio.toFixed(2)} x`, pass: ratio <= factor }
}

/** Punctual's `key` is lower than that of each of `others`. @returns {Bar} */
export function lowest(results, key, label, others) {
  const rule = `fewer ${label} than every PostgreSQL peer`
  const best = Math.min(...values(results, key, others))
  const ours = results.punctual?.[key]
  if (ours === undefined || !Number.isFinite(best)) return { rule, value: 'not run', pass: null }
  return { rule, value: `${ours}, best peer ${best}`, pass: ours < best }
}

/** Punctual's `key` is under a fixed limit. @returns {Bar} */
export function below(results, key, limit, label) {
  const rule = `under ${limit} ${label}`
  const ours = results.punctual?.[key]
  if (ours === undefined) return { rule, value: 'not run', pass: null }
  return { rule, value: String(ours), pass: ours < limit }
}

/** Punctual's `key` does not exceed a fixed limit. @returns {Bar} */
export function atMost(results, key, limit, label) {
  const rule = `at most ${limit.toLocaleString('en-US')} ${label}`
  const ours = results.punctual?.[key]
  if (ours === undefined) return { rule, value: 'not run', pass: null }
  return { rule, value: ours.toLocaleString('en-US'), pass: ours <= limit }
}

/** Punctual's `key` reaches a fixed number. @returns {Bar} */
export function reaches(results, key, least, label) {
  const rule = `at least ${least.toLocaleString('en-US')} ${label}`
  const ours = results.punctual?.[key]
  if (ours === undefined) return { rule, value: 'not run', pass: null }
  return { rule, value: ours.toLocaleString('en-US'), pass: ours >= least }
}

/** The last round compared with the first. Without a factor it is only shown. @returns {Bar} */
export function ratioOfRounds(results, system, factor) {
  const rounds = results[system]?.rounds
  const rule = factor ? `${system}: round 8 >= ${factor} x round 1` : `${system}: round 8 / round 1`
  if (!rounds) return { rule, value: 'not run', pass: null }
  const ratio = rounds.at(-1) / rounds[0]
  return { rule, value: ratio.toFixed(2), pass: factor ? ratio >= factor : null }
}

/** 32 processes compared with 8. @returns {Bar} */
export function fleetHolds(results, system, factor) {
  const rule = `32 processes >= ${factor} x 8 processes`
  const sizes = results[system]?.sizes
  if (!sizes) return { rule, value: 'not run', pass: null }
  const ratio = sizes[32] / sizes[8]
  return { rule, value: ratio.toFixed(2), pass: ratio >= factor }
}

/** A value without a required limit. @returns {Bar} */
export function shown(results, label) {
  return { rule: `shows ${label}`, value: results.punctual ? 'shown' : 'not run', pass: null }
}

function values(results, key, systems) {
  return systems.map((name) => results[name]?.[key]).filter((value) => value !== undefined)
}
