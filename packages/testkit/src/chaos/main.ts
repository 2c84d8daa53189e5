/** `npm run chaos`: runs the campaign, prints the verdict, and exits with 1 on any violation. */
import { rmSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Judged, LEASE_MS, runCampaign } from './campaign/campaign.ts'
import { keepEvidence } from './campaign/keep-evidence.ts'
import { toJson, toText } from './campaign/report.ts'
import { drawTimeline } from './draw/timeline.ts'
import { runProfile } from './hostile-tenant/profile.ts'
import { toJsonLine, toTable } from './hostile-tenant/report.ts'
import { applyMutant } from './mutants/apply-mutant.ts'
import { findMutant, mutantsOf } from './mutants/mutants.ts'
import { type Options, parseOptions, USAGE } from './options.ts'
import { findScenario, scenarios } from './scenarios/index.ts'
import { Stage } from './scenarios/stage.ts'

const say = (line: string) => process.stderr.write(`${line}\n`)
const print = (text: string) => process.stdout.write(`${text}\n`)

function list(names: readonly { readonly name: string; readonly says: string }[]): number {
  for (const { name, says } of names) print(`${name.padEnd(28)} ${says}`)
  return 0
}

async function main(options: Options): Promise<number> {
  if (options.mutant === 'list')
    return list(
      mutantsOf(options.profile).map((mutant) => ({
        ...mutant,
        says: `${mutant.breaks} (${mutant.killedBy})`,
      })),
    )
  if (options.scenario === 'list')
    return list(scenarios.map((scenario) => ({ ...scenario, says: scenario.title })))
  const copy = await mkdtemp(join(tmpdir(), 'punctual-mutant-'))
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
  try {
    const programs = await programsOf(options, copy)
    if (options.profile !== null) return await playProfile(options, programs)
    const judged = await run(options, programs)
    print(toText(judged.verdict, judged.world.heldUpMs))
    if (options.svg !== null) await draw(judged, options, options.svg)
    if (judged.verdict.violations.length > 0 && options.mutant === null) {
      const file = await keepEvidence(judged, options.scenario ?? String(options.seed))
      say(`chaos: the evidence on the failed runs is in ${file}`)
    }
    if (options.json) print(toJson(judged.verdict))
    return judged.verdict.pass ? 0 : 1
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Returns the folder of the children's programs: of this build, or of a mutant of it. */
async function programsOf({ mutant, profile }: Options, copy: string): Promise<string> {
  if (mutant === null) return fileURLToPath(new URL('./children', import.meta.url))
  const found = findMutant(mutant, profile)
  say(`chaos: the product has a deliberate bug: ${found.breaks}`)
  return applyMutant(found, copy)
}

async function playProfile(options: Options, programs: string): Promise<number> {
  const report = await runProfile({ ...options, only: options.attacks, programs, say })
  print(toTable(report))
  if (options.json) print(toJsonLine(report))
  return report.verdict.pass ? 0 : 1
}

function run(options: Options, programs: string): Promise<Judged> {
  if (options.scenario === null) return runCampaign({ ...options, programs, say })
  const scenario = findScenario(options.scenario)
  return Stage.play(scenario, { ...options, programs, leaseMs: LEASE_MS, say })
}

async function draw({ evidence, verdict, world }: Judged, options: Options, file: string) {
  const outcome = verdict.pass ? 'pass' : 'fail'
  const counts = `${verdict.slots} slots, ${verdict.submitted} submissions, ${outcome}`
  const title = `${options.scenario ?? 'chaos'}, seed ${options.seed}: ${counts}`
  const lanes = [
    ...(world.pgbouncer ? [{ name: 'pgbouncer', lives: [] }] : []),
    ...world.fleet.children,
  ]
  await writeFile(file, drawTimeline({ title, lanes, evidence, verdict, leaseMs: LEASE_MS }))
  say(`chaos: the timeline is in ${file}`)
}

// Exits through the exit hooks, which end the children and remove their files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(130))

const args = process.argv.slice(2)
if (args.includes('--help')) print(USAGE)
else
  try {
    process.exitCode = await main(parseOptions(args))
  } catch (error) {
    say(`chaos: ${(error as Error).stack}`)
    process.exitCode = 2
  }
// A connection that a fault left half open must not keep the process alive.
process.exit()
