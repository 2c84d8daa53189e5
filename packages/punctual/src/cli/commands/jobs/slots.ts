/** `punctual jobs slots <job>`: what was decided for each slot, and what became of its run. */
import type { Job } from '@punctual/core/job'
import type { Run } from '@punctual/core/run'
import type { Command } from 'commander'
import type { JobSlot } from '../../../jobs/jobs.ts'
import type { Punctual } from '../../../punctual.ts'
import { parseCount } from '../../flags/counts.ts'
import { showDuration } from '../../flags/durations.ts'
import { parseMomentIn, showLocal } from '../../flags/instants.ts'
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
/** More than a window can hold of which the one before, an eighth of it, held fewer than the limit. */
const WINDOW_SLOTS_MAX = 10_000
const FIRST_WINDOW_MS = 600_000
const LAST_WINDOW_MS = 366 * 86_400_000
const LOOKED_UP_AT_ONCE = 20

interface Flags {
  from?: string
  to?: string
  limit?: string
}

/** A slot with its run; one that was skipped at its start is a skip. */
type SlotRow = Omit<JobSlot, 'reason'> & {
  readonly reason: string | null
  readonly runState: Run['state'] | null
  readonly latenessMs: number | null
}

export function addJobsSlots(parent: Command): void {
  const command = parent
    .command('slots')
    .description('show the ledger of a job: for each slot what was decided, why, and its run')
    .argument('<job>', 'its name or id')
    .option('--from <time>', 'slots from this on, the oldest first (default: the latest ones)')
    .option('--to <time>', 'slots up to this (default: now)')
    .option('--limit <n>', `at most so many, up to ${LIMIT_MAX} (default: 50)`)
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
  const moment = (flag: string, text: string) => parseMomentIn(flag, text, timezone, nowMs)
  const to = flags.to === undefined ? new Date(nowMs) : moment('--to', flags.to)
  const slots =
    flags.from === undefined
      ? await latest(punctual, job.id, to, limit)
      : await punctual.jobs.slots(job.id, { from: moment('--from', flags.from), to, limit })
  const rows = await withRuns(punctual, slots)
  if (context.json) context.terminal.json(rows)
  else if (rows.length === 0) context.terminal.line(noneText(job))
  else showSlots(context.terminal, rows, timezone, nowMs)
  return exit.ok
}

/** Slots of a job are computed and looked up; when a job waits for its runs to end they cannot be computed. */
function noneText({ rules, handler }: Job): string {
  if (rules.when.kind !== 'after-end') return 'No slots.'
  return `Slots of a job that waits for its runs to end are not listed; \`punctual runs list --handler ${handler}\` shows its runs.`
}

/** The last slots before a moment: looks back further and further until there are enough. */
async function latest(punctual: Punctual, id: string, to: Date, limit: number) {
  for (let backMs = FIRST_WINDOW_MS; ; backMs *= 8) {
    const from = new Date(Math.max(0, to.getTime() - Math.min(backMs, LAST_WINDOW_MS)))
    const slots = await punctual.jobs.slots(id, { from, to, limit: WINDOW_SLOTS_MAX })
    if (slots.length >= limit || backMs >= LAST_WINDOW_MS) return slots.slice(-limit)
  }
}

async function withRuns({ runs }: Punctual, slots: readonly JobSlot[]): Promise<SlotRow[]> {
  const rows: SlotRow[] = []
  for (let i = 0; i < slots.length; i += LOOKED_UP_AT_ONCE) {
    const batch = slots.slice(i, i + LOOKED_UP_AT_ONCE)
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
    [`SLOT (${tz})`, 'DECISION', 'WHY', 'RUN IS', 'LATE', 'RUN'],
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
  return slots > 1 ? `${reason} (${slots} slots together)` : reason
}
