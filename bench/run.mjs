#!/usr/bin/env node
/**
 * The bench: `npm run bench -- <scenario> [--json]`. It installs missing dependencies before it
 * imports anything that needs them, starts its own servers, and stops them also on an interrupt.
 */
import { setUp } from './lib/setup.mjs'

setUp()
const { parseOptions, USAGE } = await import('./lib/options.mjs')
const { Bench } = await import('./lib/bench.mjs')
const { killChildren } = await import('./lib/child.mjs')
const { endOnSignals } = await import('./lib/interrupts.mjs')
const { describeMachine, machineLine } = await import('./lib/machine.mjs')
const { toMarkdown, toText } = await import('./lib/print.mjs')
const { runScenario } = await import('./lib/run-scenario.mjs')
const { SCENARIOS } = await import('./scenarios/index.mjs')

const options = parseOptions(process.argv.slice(2))
const names = SCENARIOS.map(({ name }) => name)
const chosen = SCENARIOS.filter(({ name }) => [name, 'all'].includes(options.scenario))
if (options.help || chosen.length === 0) {
  process.stdout.write(`${USAGE}\n\nscenarios: ${names.join(', ')}\n`)
  process.exit(options.help ? 0 : 2)
}

const bench = new Bench(options)
let stopping
const stop = () => {
  killChildren()
  stopping ??= bench.stop()
  return stopping
}
// Before the first server is started, so that it is stopped as well.
endOnSignals(stop)

try {
  await bench.start()
  const machine = machineLine(await describeMachine(bench))
  process.stdout.write(options.markdown ? `# Benchmarks\n\n${machine}\n\n` : `${machine}\n`)
  for (const scenario of chosen) {
    await bench.serveWith(scenario.server)
    const report = await runScenario(bench, scenario)
    process.stdout.write(options.markdown ? `${toMarkdown(report)}\n` : toText(report))
    if (options.json) process.stdout.write(`${JSON.stringify(report.json)}\n`)
  }
} catch (error) {
  if (!stopping) {
    process.stderr.write(`bench: ${error.stack}\n`)
    process.exitCode = 1
  }
} finally {
  await stop()
  // A connection that a failed measurement left open must not keep the process alive.
  process.exit()
}
