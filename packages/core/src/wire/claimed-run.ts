/**
 * A claimed run on the wire. Written as text: payloads, policies and checkpoints are JSON already,
 * and are not parsed only to be written again. Fences have 63 bits, more than the numbers of most
 * languages have: they are strings.
 */
import type { ClaimedRun } from '../ports/work.ts'
import { traits } from '../run/run-state.ts'

/** A claimed run as a remote worker parses it. */
export interface WireRun {
  readonly run_id: string
  readonly fence: string
  readonly handler: string
  readonly queue: string
  readonly priority: number
  readonly tenant_id: number
  /** Counted from 1. */
  readonly attempt: number
  readonly max_attempts: number
  readonly timeout_ms: number
  readonly payload: unknown
  /** The state saved by an earlier attempt. */
  readonly checkpoint: unknown
  /** Whether its start must be marked before the handler is called. */
  readonly mark_start: boolean
  readonly due_at: string
  readonly expires_in_ms: number | null
  readonly trace: string | null
  readonly job_id: string | null
  readonly slot_at: string | null
  readonly missed_from: string | null
  readonly policy: unknown
  readonly lane: number
  readonly weight: number
  readonly crashes: number
  readonly traits: number
}

const ms = (at: string | null) => (at === null ? null : Date.parse(at))

/**
 * Runs that must not run twice, or that were running when a worker died, are marked before they
 * start.
 */
export const marksStart = ({ crashes, traits: bits }: Pick<ClaimedRun, 'crashes' | 'traits'>) =>
  crashes > 0 || (bits & traits.atMostOnce) !== 0

const quoted = new Map<string, string>()

/** Names repeat: each is quoted once. */
function quote(name: string): string {
  let text = quoted.get(name)
  if (text === undefined) {
    if (quoted.size > 10_000) quoted.clear()
    text = JSON.stringify(name)
    quoted.set(name, text)
  }
  return text
}

const isoText = (at: number | null) => (at === null ? 'null' : `"${new Date(at).toISOString()}"`)

/**
 * Written member by member: thousands are written per second, and most members are numbers and ids
 * without quoting.
 */
export function writeRun(run: ClaimedRun, checkpoint: string | null): string {
  const expires = run.expiresInMs === null ? null : Math.floor(run.expiresInMs)
  const trace = run.trace === null ? 'null' : JSON.stringify(run.trace)
  const jobId = run.jobId === null ? 'null' : `"${run.jobId}"`
  return (
    `{"run_id":"${run.id}","fence":"${run.fence}","handler":${quote(run.handler)},"queue":${quote(run.queue)},` +
    `"priority":${run.priority},"tenant_id":${run.tenantId},"attempt":${run.attempt + 1},` +
    `"max_attempts":${run.maxAttempts},"timeout_ms":${run.timeoutMs},"mark_start":${marksStart(run)},` +
    `"due_at":${isoText(run.dueMs)},"expires_in_ms":${expires},"trace":${trace},"job_id":${jobId},` +
    `"slot_at":${isoText(run.slotMs)},"missed_from":${isoText(run.missedFromMs)},"lane":${run.lane},` +
    `"weight":${run.weight},"crashes":${run.crashes},"traits":${run.traits},` +
    `"payload":${run.payload},"policy":${run.policy},"checkpoint":${checkpoint}}`
  )
}

export function readRun(wire: WireRun): ClaimedRun {
  return {
    id: wire.run_id,
    fence: BigInt(wire.fence),
    lane: wire.lane,
    tenantId: wire.tenant_id,
    handler: wire.handler,
    queue: wire.queue,
    priority: wire.priority,
    weight: wire.weight,
    attempt: wire.attempt - 1,
    crashes: wire.crashes,
    traits: wire.traits,
    maxAttempts: wire.max_attempts,
    timeoutMs: wire.timeout_ms,
    payload: JSON.stringify(wire.payload),
    policy: wire.policy === null ? null : JSON.stringify(wire.policy),
    trace: wire.trace,
    dueMs: Date.parse(wire.due_at),
    jobId: wire.job_id,
    slotMs: ms(wire.slot_at),
    missedFromMs: ms(wire.missed_from),
    expiresInMs: wire.expires_in_ms,
    // Only the server needs to know what the end of the run frees.
    gate: null,
    limited: false,
  }
}
