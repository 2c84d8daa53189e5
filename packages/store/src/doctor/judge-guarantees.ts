/**
 * Which promises hold on a server as it is now. Punctual's promises rest on PostgreSQL keeping what it has
 * committed, on connections to it, and on one opinion about time zones; whether these conditions are met is read
 * from the server. This file is the decision alone: facts in, a verdict for each promise out. It assumes nothing
 * that was not found, and names for each weakness what it means and what to do.
 */

import type {
  GuaranteeFacts,
  GuaranteePanel,
  PromiseName,
  ReadStandbyFacts,
  StandbyFacts,
  Weakness,
} from '@punctual/core/ports'

const promises = {
  'one-slot': 'One slot, one decision',
  'one-outcome': 'One outcome',
  'nothing-lost': 'Nothing is lost',
  'honest-effects': 'Honest effects',
  'database-clock': "The database's clock decides",
} as const satisfies Record<PromiseName, string>

/** What commits say: whoever loses one of them loses a decision, an outcome, a start mark or a run. */
const COMMITTED: readonly PromiseName[] = [
  'one-slot',
  'one-outcome',
  'nothing-lost',
  'honest-effects',
]
const CLOCK_OFFSET_MAX_MS = 1_000
/** What a node with every role opens when it is busy, requests over HTTP included. */
export const CONNECTIONS_OF_A_NODE = 30

export function judgeGuarantees(facts: GuaranteeFacts): GuaranteePanel {
  const weaknesses = [
    ...ofTheDisk(facts),
    ...ofStandbys(facts),
    ...ofConnections(facts),
    ...ofTime(facts),
  ]
  const guarantees = Object.entries(promises).map(([promise, title]) => {
    const causes = weaknesses
      .filter(({ weakens }) => weakens.includes(promise as PromiseName))
      .map(({ cause }) => cause)
    const verdict = causes.length === 0 ? ('holds' as const) : ('weakened' as const)
    return { promise: promise as PromiseName, title, verdict, causes }
  })
  const verdict = weaknesses.length === 0 ? 'holds' : 'weakened'
  return { verdict, guarantees, weaknesses, notes: notesOn(facts), facts }
}

function ofTheDisk(facts: GuaranteeFacts): Weakness[] {
  const found: Weakness[] = []
  if (!facts.fsync)
    found.push({
      cause: 'fsync',
      why: 'fsync is off: a crash of the machine loses or corrupts what was committed, also long ago.',
      advice: 'Set fsync = on. Off is for throw-away data only.',
      weakens: COMMITTED,
    })
  if (!facts.fullPageWrites)
    found.push({
      cause: 'full_page_writes',
      why: 'full_page_writes is off: a page that was half written when the machine crashed stays broken.',
      advice: 'Set full_page_writes = on, unless the file system writes whole pages (such as ZFS).',
      weakens: COMMITTED,
    })
  if (facts.synchronousCommit === 'off')
    found.push({
      cause: 'synchronous_commit',
      why: 'synchronous_commit is off: a crash of the server loses what it committed in the last moments, so runs vanish, end twice, or start again although they were marked.',
      advice: 'Set synchronous_commit = on for this role or database.',
      weakens: COMMITTED,
    })
  return found
}

const isSynchronous = ({ syncState }: StandbyFacts) =>
  syncState === 'sync' || syncState === 'quorum'

function ofStandbys(facts: GuaranteeFacts): Weakness[] {
  const { synchronousStandbyNames: names, synchronousCommit, standbys } = facts
  if (names === '') return standbys.length === 0 ? [] : [noneIsSynchronous(standbys)]
  if (synchronousCommit === 'local' || synchronousCommit === 'remote_write')
    return [commitsDoNotWait(synchronousCommit)]
  // Who may not see the state of a standby is not told that there is none.
  const unseen = standbys.some(({ syncState }) => syncState === null)
  if (synchronousCommit === 'off' || unseen || standbys.some(isSynchronous)) return []
  return [
    {
      cause: 'standby_missing',
      why: `No standby that synchronous_standby_names (${names}) names is connected: every commit waits for one, and nothing is accepted, started or ended meanwhile.`,
      advice: 'Start the standby, name another one, or empty synchronous_standby_names.',
      weakens: ['nothing-lost'],
    },
  ]
}

function noneIsSynchronous(standbys: readonly StandbyFacts[]): Weakness {
  const names = standbys.map(({ name }) => name || 'unnamed').join(', ')
  return {
    cause: 'standby_asynchronous',
    why: `Commits do not wait for the standby (${names}): a fail-over loses those that had not reached it. Runs vanish, or end and start a second time.`,
    advice: 'Name it in synchronous_standby_names, if you mean to fail over to it.',
    weakens: COMMITTED,
  }
}

function commitsDoNotWait(setting: 'local' | 'remote_write'): Weakness {
  const local = setting === 'local'
  return {
    cause: 'synchronous_commit',
    why: local
      ? 'synchronous_commit is local: commits do not wait for the synchronous standby, and a fail-over loses those that had not reached it.'
      : 'synchronous_commit is remote_write: commits do not wait for the disk of the standby, and a fail-over to one whose machine has crashed too loses them.',
    advice: 'Set synchronous_commit = on for this role or database.',
    weakens: COMMITTED,
  }
}

function ofConnections({ readOnly, connectionsFree }: GuaranteeFacts): Weakness[] {
  const found: Weakness[] = []
  if (readOnly)
    found.push({
      cause: 'read_only',
      why: 'Transactions of this role or database are read-only: nothing is accepted, started or ended.',
      advice: 'Unset default_transaction_read_only.',
      weakens: ['nothing-lost'],
    })
  if (connectionsFree < CONNECTIONS_OF_A_NODE)
    found.push({
      cause: 'connections',
      why: `${Math.max(0, connectionsFree)} connections are free, and a busy node opens about ${CONNECTIONS_OF_A_NODE}: a worker that gets none cannot renew its lease, and its runs go to others.`,
      advice:
        'Raise max_connections (or the limit of the role or database), or put PgBouncer in between.',
      weakens: ['nothing-lost', 'honest-effects'],
    })
  return found
}

function ofTime({ clockOffsetMs, plannerZoneData }: GuaranteeFacts): Weakness[] {
  const found: Weakness[] = []
  if (Math.abs(clockOffsetMs) > CLOCK_OFFSET_MAX_MS)
    found.push({
      cause: 'clock',
      why: `The clock of this machine is ${shownOffset(clockOffsetMs)} the server's. Leases and due times are not touched by that, but a time that a program here computes itself (runAt) is wrong by as much.`,
      advice: 'Run NTP (chrony, systemd-timesyncd) on both machines, or submit with delayMs.',
      weakens: ['database-clock'],
    })
  const versions = [...new Set(plannerZoneData ?? [])].sort()
  if (versions.length > 1)
    found.push({
      cause: 'zone_data',
      why: `Planners have different time zone data (${versions.join(', ')}): those with ${versions.at(-1)} plan, and when the last of them is gone, slots are computed by older rules.`,
      advice: 'Give all nodes the same version of Node.js.',
      weakens: ['one-slot'],
    })
  return found
}

function shownOffset(ms: number): string {
  const seconds = Math.abs(ms / 1_000).toFixed(1)
  return `${seconds} s ${ms > 0 ? 'ahead of' : 'behind'}`
}

function notesOn(facts: GuaranteeFacts): string[] {
  const { standbys, synchronousStandbyNames: names, pooled, dataChecksums } = facts
  const { rowSecurity, readStandby } = facts
  const notes: string[] = []
  const others = standbys.filter((standby) => standby.syncState && !isSynchronous(standby))
  if (standbys.length === 0 && names === '')
    notes.push('No standby is connected: the only copy is here, and backups are what is left.')
  if (standbys.some(isSynchronous) && others.length > 0)
    notes.push(
      `Fail over to ${listed(standbys.filter(isSynchronous))} only; ${listed(others)} may lack the last commits.`,
    )
  if (standbys.some(({ syncState }) => syncState === null))
    notes.push('This role may not see how standbys follow: grant pg_read_all_stats to it.')
  if (pooled)
    notes.push('A pooler stands between: all promises hold, and new runs are found by polling.')
  if (!dataChecksums)
    notes.push('Data checksums are off: what a faulty disk changes is not noticed by the server.')
  if (readStandby) notes.push(onReading(readStandby))
  if (rowSecurity !== null && rowSecurity !== 'up')
    notes.push(
      `Tenants are kept apart by the predicates of the statements only (${rowSecurity}): there is no row security behind them.`,
    )
  return notes
}

function onReading({ allowedMs, lagMs, passedBy }: ReadStandbyFacts): string {
  if (passedBy !== null)
    return `The standby for reading is passed by (${passedBy}): lists and reports come from the primary.`
  return `Lists and reports come from a standby, which is ${lagMs} ms behind and may be ${allowedMs} ms; nothing is decided by it.`
}

function listed(standbys: readonly StandbyFacts[]): string {
  return standbys.map(({ name }) => name || 'unnamed').join(', ')
}
