/** Reduces a failure: drops faults and nodes one by one while the same invariant still breaks. */
import { type SimulationOptions, type SimulationResult, simulate } from './simulate.ts'
import type { Fault } from './world/faults.ts'
import type { Settings } from './world/settings.ts'

type Change = (settings: Settings) => Settings

const without =
  (fault: Fault): Change =>
  (settings) => ({
    ...settings,
    faults: {
      ...settings.faults,
      enabled: new Set([...settings.faults.enabled].filter((other) => other !== fault)),
    },
  })

const simpler: readonly Change[] = [
  (settings) => ({ ...settings, nodes: 1 }),
  (settings) => ({ ...settings, nodes: Math.min(settings.nodes, 2) }),
  (settings) => ({ ...settings, skewMs: 0 }),
  (settings) => ({ ...settings, race: false }),
  (settings) => ({ ...settings, flow: false }),
]

/** Returns the smallest failure found, or the original one when nothing can be dropped. */
export async function minimise(
  options: SimulationOptions,
  failure: SimulationResult,
): Promise<SimulationResult> {
  const invariant = failure.violations[0]?.invariant
  const faults = [...failure.settings.faults.enabled]
  let change: Change = options.change ?? ((settings) => settings)
  let least = failure
  for (const more of [...faults.map(without), ...simpler]) {
    const before = change
    const tried: Change = (settings) => more(before(settings))
    const result = await simulate({ ...options, change: tried })
    if (result.violations[0]?.invariant !== invariant) continue
    change = tried
    least = result
  }
  return least
}
