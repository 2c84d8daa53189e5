/** Answers "why did it (not) run at nine?" in one sentence, from the ledger and the rules. */
import type { Slot, SlotExplanation } from '@punctual/core/job'
import type { Run } from '@punctual/core/run'
import { zoneOf } from '@punctual/core/schedule'
import type { PostgresStore, StoredJob } from '@punctual/store'

const SKIPS: Record<string, string> = {
  misfire: 'no planner was running when it was due, and the job does not catch up missed slots',
  paused: 'the job was paused',
  calendar: 'a calendar of the job excludes it',
  asked: 'an operator requested the skip',
}

const LOOK_BACK_MS = 366 * 86_400_000

export async function explainSlot(
  store: PostgresStore,
  job: StoredJob,
  atMs: number,
  nowMs: number,
): Promise<SlotExplanation> {
  const shown = (ms: number) => localTime(job, ms)
  const none = (text: string, slotMs: number | null = null): SlotExplanation => ({
    ...{ job: job.name, slotAt: slotMs === null ? null : new Date(slotMs) },
    ...{ decision: null, reason: null, run: null, text },
  })
  if (atMs < job.createdAt.getTime())
    return none(`The job was created on ${shown(job.createdAt.getTime())}, after that.`)
  const found = await store.schedules.slots.lastBefore(job, atMs, LOOK_BACK_MS)
  if (!found)
    return none(
      job.nextAt
        ? `The job had no slot up to ${shown(atMs)}. Its next one is ${shown(job.nextAt.getTime())}.`
        : `The job had no slot up to ${shown(atMs)}.`,
    )
  const { slotMs, slot, searchedMs } = found
  const at = slotMs === atMs ? shown(slotMs) : `${shown(slotMs)}, the last slot before that`
  if (searchedMs !== null)
    return none(
      `${at}: the ledger has no decision for this slot alone, nor for any up to ${shown(searchedMs)}. One decision may stand for more slots than are searched here: list the slots of the job from this one on.`,
      slotMs,
    )
  if (!slot) return none(`${at}: ${undecided(job, slotMs, nowMs)}`, slotMs)
  const run = slot.runId ? await store.runs.find(slot.runId) : null
  const text = `${at}: ${slot.decision === 'skip' ? skipText(slot) : runText(slot, run)}`
  const { decision, reason } = slot
  return { job: job.name, slotAt: new Date(slotMs), decision, reason, run, text }
}

/**
 * Explains a missing decision. Behind the cursor every slot must have one: otherwise it is an
 * inconsistency.
 */
function undecided(job: StoredJob, slotMs: number, nowMs: number): string {
  const { planningError, pausedAt } = job
  const waits = slotMs > job.cursorAt.getTime()
  if (waits && pausedAt) return 'it is not decided, as the job is paused.'
  if (waits && planningError)
    return `it is not decided, because the job could not be planned: ${planningError} Change the job, or declare it again.`
  return slotMs > nowMs
    ? 'it is in the future and not planned yet.'
    : 'the ledger has no decision for it. Run `punctual verify` for details.'
}

function skipText(slot: Slot): string {
  const more = slot.slots > 1 ? ` (together with ${slot.slots - 1} other slots)` : ''
  return `it was skipped: ${SKIPS[slot.reason] ?? slot.reason}${more}.`
}

function runText(slot: Slot, run: Run | null): string {
  const how =
    slot.reason === 'coalesced' ? `${slot.slots} missed slots became one run` : 'it became a run'
  if (!run) return `${how}, ${slot.runId}, which is no longer retained.`
  if (run.state === 'skipped')
    return `${how}, ${run.id}, which was skipped at its start: ${run.reason === 'overlap' ? 'another run of the job was running' : run.reason}.`
  const late = 'latenessMs' in run && run.latenessMs !== null ? `, ${run.latenessMs} ms late` : ''
  const why = 'reason' in run && run.reason ? ` (${run.reason})` : ''
  return `${how}, ${run.id}, which is ${run.state}${why}${late}.`
}

function localTime(job: StoredJob, ms: number): string {
  const offsetMs = zoneOf(job.rules.timezone).offsetAt(ms)
  const local = new Date(ms + offsetMs).toISOString().slice(0, 19).replace('T', ' ')
  return `${local} ${job.rules.timezone}`
}
