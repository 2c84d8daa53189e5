/** Decodes what few runs have: queries/parts/run-extra.sql. */

export interface RunExtra {
  readonly jobId: string | null
  /** The slot; null when the job was triggered by hand. */
  readonly slotMs: number | null
  readonly missedFromMs: number | null
  readonly policy: string | null
  readonly trace: string | null
}

const SEPARATOR = '\u001f'

/** Submitted runs with the default policy have none. */
export const NO_EXTRA: RunExtra = {
  jobId: null,
  slotMs: null,
  missedFromMs: null,
  policy: null,
  trace: null,
}

export function decodeExtra(text: string | null | undefined): RunExtra {
  if (!text) return NO_EXTRA
  const [jobId, slotMs, missedFromMs, policy, trace] = text.split(SEPARATOR)
  return {
    jobId: jobId || null,
    slotMs: slotMs ? Number(slotMs) : null,
    missedFromMs: missedFromMs ? Number(missedFromMs) : null,
    policy: policy || null,
    trace: trace || null,
  }
}
