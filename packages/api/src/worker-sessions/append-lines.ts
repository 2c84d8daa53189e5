/** Appends log lines of attempts that a session holds, within the log limits of their tenants. */
import { limits } from '@punctual/core/errors'
import type { LogEntry, OpenSession } from '@punctual/core/ports'
import type { WorkerPorts } from './ports.ts'

/** The size of a line without its texts; sum-logs.sql counts the same. */
const LINE_BYTES = 50
/** Space for the lines that report a full log. */
const SLACK_BYTES = 1_000
const WARN = 2

const sizeOf = ({ message, data }: LogEntry): number =>
  LINE_BYTES + Buffer.byteLength(message) + (data === null ? 0 : Buffer.byteLength(data))

export async function appendLines(
  { work, remoteSessions }: Pick<WorkerPorts, 'work' | 'remoteSessions'>,
  session: OpenSession,
  lines: readonly LogEntry[],
): Promise<{ kept: number; refused: number }> {
  const ids = [...new Set(lines.map((line) => line.runId))]
  const leases = new Map(
    (await remoteSessions.leases(session.id, ids)).map((lease) => [lease.id, lease]),
  )
  const ours = lines.filter(({ runId, attempt }) => leases.get(runId)?.attempt === attempt - 1)
  if (ours.length === 0) return { kept: 0, refused: lines.length }
  const most = new Map<number, number>()
  for (const { tenantId } of leases.values())
    if (!most.has(tenantId))
      most.set(tenantId, (await work.logBytesMax?.(tenantId)) ?? limits.logBytesPerRun)
  const used = new Map(await work.logBytes([...leases.keys()]))
  const marked = new Set<string>()
  let kept = 0
  const entries = ours.flatMap((line) => {
    const limit = most.get(leases.get(line.runId)?.tenantId ?? 0) ?? limits.logBytesPerRun
    const before = used.get(line.runId) ?? 0
    const fits = before + sizeOf(line) <= limit
    const entry = fits ? line : fullLog(line, limit)
    const reported = marked.has(line.runId) || before > limit
    if (!fits && (reported || before + sizeOf(entry) > limit + SLACK_BYTES)) return []
    if (fits) kept++
    else marked.add(line.runId)
    used.set(line.runId, before + sizeOf(entry))
    return [{ ...entry, agoMs: Math.min(entry.agoMs, session.openMs) }]
  })
  if (entries.length > 0) await work.appendLogs(entries)
  return { kept, refused: lines.length - kept }
}

/** Replaces the first line that does not fit. */
function fullLog(line: LogEntry, limit: number): LogEntry {
  const message = `The log of this run is limited to ${limit} bytes; further lines are dropped.`
  return { ...line, level: WARN, message, data: null }
}
