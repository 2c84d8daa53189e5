/** The scripted scenarios, by name. */
import { controllersDie } from './controllers-die.ts'
import { databaseAway } from './database-away.ts'
import { heartbeatPathAway } from './heartbeat-path-away.ts'
import { lateFinish, remoteLateFinish } from './late-finish.ts'
import { livenessDataLost } from './liveness-data-lost.ts'
import { nodesDie } from './nodes-die.ts'
import type { Scenario } from './stage.ts'
import { workerDies } from './worker-dies.ts'

export const scenarios: readonly Scenario[] = [
  workerDies,
  heartbeatPathAway,
  controllersDie,
  livenessDataLost,
  lateFinish,
  databaseAway,
  nodesDie,
  remoteLateFinish,
]

export function findScenario(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found) return found
  const names = scenarios.map((scenario) => scenario.name).join(', ')
  throw new Error(`Unknown scenario ${name}. Known scenarios: ${names}.`)
}
