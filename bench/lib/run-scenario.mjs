/** Runs one scenario for every chosen system, alternating the systems round by round. */
import { medianBy } from './quantiles.mjs'
import { compare, makeReport } from './report.mjs'

/**
 * @param {import('./bench.mjs').Bench} bench
 * @param {import('../scenarios/index.mjs').Scenario} scenario
 */
export async function runScenario(bench, scenario) {
  const { only, rounds } = bench.options
  const measured = Object.fromEntries(scenario.systems.map((name) => [name, []]))
  const skipped = {}
  for (let round = 0; round < rounds; round++) {
    const systems = scenario.systems.filter((name) => only.includes(name) && !skipped[name])
    // Every second round runs in reverse, so that no system always profits from a rested machine.
    for (const name of round % 2 === 0 ? systems : systems.reverse()) {
      if (bench.stopped) throw new Error('interrupted')
      const why = bench.missing(name) ?? (await attempt(bench, scenario, name, measured[name]))
      if (why) skipped[name] = why
    }
  }
  const results = {}
  for (const [name, all] of Object.entries(measured)) {
    if (all.length > 0) results[name] = medianBy(all, (a, b) => compare(scenario, a, b))
  }
  if (Object.keys(results).length === 0) {
    throw new Error(`${scenario.name}: no system ran: ${JSON.stringify(skipped)}`)
  }
  return makeReport(scenario, results, skipped)
}

/** A system's failure is reported by name and does not stop the other systems. */
async function attempt(bench, scenario, name, measured) {
  process.stderr.write(`  ${scenario.name} ${name} … `)
  try {
    const result = await scenario.measure(bench, name)
    measured.push(result)
    process.stderr.write(`${Math.round(scenario.figure(result) * 100) / 100}${scenario.unit}\n`)
  } catch (error) {
    process.stderr.write(`failed\n${error.message}\n`)
    return error.message.split('\n')[0]
  }
  return undefined
}
