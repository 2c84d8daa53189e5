/** The verdict as text for humans and as one JSON object for programs. */
import type { Verdict } from '../check/check.ts'
import { nemeses } from '../faults/timetable.ts'

const SHOWN_MAX = 20

export function toText(verdict: Verdict, heldUpMs: number): string {
  const { counts, violations, latenessP99Ms, late, recoveryMs, slowest, faults } = verdict
  const line = (name: string, value: string | number) => `  ${name.padEnd(24)} ${value}`
  const byKind = nemeses.map(({ kind, title }) => line(kind, `${faults[kind] ?? 0}  ${title}`))
  const recovered = Object.entries(recoveryMs).map(([kind, ms]) =>
    line(kind, `${ms} ms, ${slowest[kind]}`),
  )
  const shown = violations
    .slice(0, SHOWN_MAX)
    .map((violation) => `  ${violation.kind}: ${violation.what}`)
  const more = violations.length - shown.length
  return [
    'faults',
    ...byKind,
    'expected and observed counts',
    line('slots', verdict.slots),
    line('acknowledged submissions', verdict.submitted),
    ...Object.entries(counts).map(([kind, count]) => line(kind, count)),
    line('duplicates, flagged', verdict.flaggedDuplicates),
    'figures',
    line('availability', verdict.availability),
    line('lateness p99, calm', `${latenessP99Ms.calm} ms`),
    line('lateness p99, faults', `${latenessP99Ms.faults} ms`),
    line('late by over 1 s', `${late.calm} calm, ${late.faults} under faults`),
    line('proxies delayed by', `${heldUpMs} ms`),
    'recovery, the slowest of each kind',
    ...recovered,
    ...(shown.length > 0 ? ['violations', ...shown] : []),
    ...(more > 0 ? [`  and ${more} more`] : []),
    `verdict: ${verdict.pass ? 'pass' : 'fail'}`,
  ].join('\n')
}

/** The object that `--json` prints last. */
export function toJson(verdict: Verdict): string {
  const { counts, faults } = verdict
  const always = Object.fromEntries(nemeses.map(({ kind }) => [kind, faults[kind] ?? 0]))
  return JSON.stringify({
    slots: verdict.slots,
    submitted: verdict.submitted,
    missing: counts.missing,
    duplicateAccepted: counts.duplicateAccepted,
    staleAccepted: counts.staleAccepted,
    unflaggedDuplicates: counts.unflaggedDuplicates,
    wronglyFlagged: counts.wronglyFlagged,
    // Kinds without a separate count in this object are included here.
    orphans: counts.orphans + counts.early + counts.died + counts.slow + counts.spared,
    faults: { ...always, ...faults },
    availability: verdict.availability,
    latenessP99Ms: verdict.latenessP99Ms,
    recoveryMs: verdict.recoveryMs,
    verdict: verdict.pass ? 'pass' : 'fail',
  })
}
