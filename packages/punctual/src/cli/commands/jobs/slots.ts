/** `punctual jobs slots <job>`: the decision for each slot, and the state of its run. */
import type { Job, JobSlot } from '@punctual/core/job'
import type { Run } from '@punctual/core/run'
import type { Command } from 'commander'
import type { Punctual } from '../../../punctual.ts'
import { parseCount } from '../../flags/counts.ts'
import { showDuration } from '../../flags/durations.ts'
import { parseInstantIn, showLocal } from '../../flags/instants.ts'
import { jobZone } from '../../output/job-view.ts'
import { stateColour } from '../../output/state-colour.ts'
import { showTable } from '../../output/table.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { findJob } from '../../target/find-job.ts'
import { openPunctual } from '../../target/open-punctual.ts'

const LIMIT_MAX = 1_000
/**
 * More slots than a window can hold when the previous window, an eighth as long, held fewer than
 * the limit.
 */
const WINDOW_SLOTS_MAX = 10_000
const FIRST_WINDOW_MS = 600_000
const LAST_WINDOW_MS = 366 * 86_400_000
const LOOKUPS_AT_ONCE = 20

interface Flags {
  from?: string
  to?: string
  limit?: string
}

/** A slot with its run. A run that was skipped when it was due to start shows as a skip. */
type SlotRow = Omit<JobSlot, 'reason'> & {
  readonly reason: string | null
  readonly runState: Run['state'] | null
  readonly latenessMs: number | null
}

export function addJobsSlots(parent: Command): void {
  const command = parent
    .command('slots')
    .description('show the ledger of a job: the decision, its reason and the run of each slot')
    .argument('<job>', 'name or id of the job')
    .option('--from <time>', 'slots at or after this time, oldest first (default: the latest)')
    .option('--to <time>', 'slots up to this time (default: now)')
    .option('--limit <n>', `maximum number of slots, up to ${LIMIT_MAX} (default: 50)`)
  addFlags(command, ['database'])
  command.action((name: string, flags: Flags) =>
    perform(command, (context) => listSlots(context, name, flags)),
  )
}

async function listSlots(context: CommandContext, name: string, flags: Flags) {
  const limit = parseCount('--limit', flags.limit ?? '50', LIMIT_MAX)
  const punctual = await openPunctual(context)
  const job = await findJob(punctual, name)
  const timezone = jobZone(job.rules)
  const nowMs = Math.floor(punctual.store.database.clock.nowMs())
  const instant = (flag: string, text: string) => parseInstantIn(flag, text, timezone, nowMs)
  const to = flags.to === undefined ? new Date(nowMs) : instant('--to', flags.to)
  const slots =
    flags.from === undefined
      ? await latest(punctual, job.id, to, limit)
      : await punctual.jobs.slots(job.id, { from: instant('--from', flags.from), to, limit })
  const rows = await withRuns(punctual, slots)
  if (context.json) context.terminal.json(rows)
  else if (rows.length === 0) context.terminal.line(emptyText(job))
  else showSlots(context.terminal, rows, timezone, nowMs)
  return exit.ok
}

/** Slots are computed from the schedule. Those of an after-end job depend on when its runs end. */
function emptyText({ rules, handler }: Job): string {
  if (rules.when.kind !== 'after-end') return 'No slots.'
  return `A job that runs after its previous run ends has no slots to list; \`punctual runs list --handler ${handler}\` shows its runs.`
}

/** The last slots before an instant. The window grows until it holds enough of them. */
async function latest(punctual: Punctual, id: string, to: Date, limit: number) {
  for (let backMs = FIRST_WINDOW_MS; ; backMs *= 8) {
    const from = new Date(Math.max(0, to.getTime() - Math.min(backMs, LAST_WINDOW_MS)))
    const slots = await punctual.jobs.slots(id, { from, to, limit: WINDOW_SLOTS_MAX })
    if (slots.length >= limit || backMs >= LAST_WINDOW_MS) return slots.slice(-limit)
  }
}

async function withRuns({ runs }: Punctual, slots: readonly JobSlot[]): Promise<SlotRow[]> {
  const rows: SlotRow[] = []
  for (let i = 0; i < slots.length; i += LOOKUPS_AT_ONCE) {
    const batch = slots.slice(i, i + LOOKUPS_AT_ONCE)
    const found = await Promise.all(batch.map(({ runId }) => (runId ? runs.get(runId) : null)))
    rows.push(...batch.map((slot, n) => rowOf(slot, found[n] ?? null)))
  }
  return rows
}

function rowOf(slot: JobSlot, run: Run | null): SlotRow {
  const runState = run?.state ?? null
  const latenessMs = run && 'latenessMs' in run ? run.latenessMs : null
  if (run?.state !== 'skipped') return { ...slot, runState, latenessMs }
  return { ...slot, decision: 'skip', reason: run.reason ?? slot.reason, runState, latenessMs }
}

function showSlots(terminal: Terminal, rows: readonly SlotRow[], tz: string, nowMs: number): void {
  const { colors } = terminal
  showTable(
    terminal,
    [`SLOT (${tz})`, 'DECISION', 'REASON', 'RUN STATE', 'LATE', 'RUN'],
    rows.map((row) => [
      showLocal(row.slotAt, tz),
      row.decision ?? colors.red('none'),
      whyText(row, nowMs),
      row.runState ? stateColour(colors, row.runState) : '-',
      row.latenessMs === null ? '-' : showDuration(Math.max(0, row.latenessMs)),
      row.runId ?? '-',
    ]),
    ['LATE', 'RUN'],
  )
}

function whyText({ reason, slots, slotAt }: SlotRow, nowMs: number): string {
  if (reason === null) return slotAt.getTime() > nowMs ? 'ahead' : 'missing'
  return slots > 1 ? `${reason} (${slots} slots in one run)` : reason
}
