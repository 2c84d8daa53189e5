/**
 * Decides which guarantees hold on a server in its present state. They depend on PostgreSQL keeping
 * committed data, on connections to it, and on all planners using the same time zone data. This
 * file is only the decision: it takes facts and returns a verdict for each guarantee. It assumes
 * nothing that was not read from the server, and says what each weakness means and what to do about
 * it.
 */

import type {
  GuaranteeFacts,
  GuaranteePanel,
  PromiseName,
  ReadStandbyFacts,
  StandbyFacts,
  Weakness,
} from '@punctual/core/ports'

const titles = {
  'one-slot': 'One slot, one decision',
  'one-outcome': 'One outcome',
  'nothing-lost': 'Nothing is lost',
  'honest-effects': 'Honest effects',
  'database-clock': "The database's clock decides",
} as const satisfies Record<PromiseName, string>

const promises = Object.keys(titles).filter((name) => isPromise(name))

function isPromise(name: string): name is PromiseName {
  return Object.hasOwn(titles, name)
}

/** A lost commit breaks these: it stored a decision, an outcome, a start mark or a run. */
const COMMITTED: readonly PromiseName[] = [
  'one-slot',
  'one-outcome',
  'nothing-lost',
  'honest-effects',
]
const CLOCK_OFFSET_MAX_MS = 1_000
/**
 * The connections that a node with every role opens at most, including those for HTTP requests:
 * the sum of the table in ARCHITECTURE.md.
 */
export const CONNECTIONS_OF_A_NODE = 47

export function judgeGuarantees(facts: GuaranteeFacts): GuaranteePanel {
  const weaknesses = [
    ...diskWeaknesses(facts),
    ...standbyWeaknesses(facts),
    ...connectionWeaknesses(facts),
    ...timeWeaknesses(facts),
  ]
  const guarantees = promises.map((promise) => {
    const causes = weaknesses
      .filter(({ weakens }) => weakens.includes(promise))
      .map(({ cause }) => cause)
    const verdict = causes.length === 0 ? ('holds' as const) : ('weakened' as const)
    return { promise, title: titles[promise], verdict, causes }
  })
  const verdict = weaknesses.length === 0 ? 'holds' : 'weakened'
  return { verdict, guarantees, weaknesses, notes: notesOn(facts), facts }
}

function diskWeaknesses(facts: GuaranteeFacts): Weakness[] {
  const found: Weakness[] = []
  if (!facts.fsync)
    found.push({
      cause: 'fsync',
      why: 'fsync is off: a crash of the machine can lose or corrupt any committed data, old and new.',
      advice: 'Set fsync = on. Use off for throw-away data only.',
      weakens: COMMITTED,
    })
  if (!facts.fullPageWrites)
    found.push({
      cause: 'full_page_writes',
      why: 'full_page_writes is off: a page that was half written when the machine crashed stays corrupt.',
      advice: 'Set full_page_writes = on, unless the file system writes whole pages (such as ZFS).',
      weakens: COMMITTED,
    })
  if (facts.synchronousCommit === 'off')
    found.push({
      cause: 'synchronous_commit',
      why: 'synchronous_commit is off: a crash of the server loses its latest commits. Accepted runs vanish, ended runs end a second time, and runs that must not start twice do.',
      advice: 'Set synchronous_commit = on for this role or database.',
      weakens: COMMITTED,
    })
  return found
}

const isSynchronous = ({ syncState }: StandbyFacts) =>
  syncState === 'sync' || syncState === 'quorum'

function standbyWeaknesses(facts: GuaranteeFacts): Weakness[] {
  const { synchronousStandbyNames: names, synchronousCommit, standbys } = facts
  if (names === '') return standbys.length === 0 ? [] : [noneIsSynchronous(standbys)]
  if (synchronousCommit === 'local' || synchronousCommit === 'remote_write')
    return [commitsDoNotWait(synchronousCommit)]
  // A role that cannot see the state of a standby must not conclude that none is synchronous.
  const unseen = standbys.some(({ syncState }) => syncState === null)
  if (synchronousCommit === 'off' || unseen || standbys.some(isSynchronous)) return []
  return [
    {
      cause: 'standby_missing',
      why: `synchronous_standby_names is ${names}, but none of these standbys is connected. Every commit waits for one: until then, runs are not accepted, started or ended.`,
      advice:
        'Start the standby, name another one in synchronous_standby_names, or empty the setting.',
      weakens: ['nothing-lost'],
    },
  ]
}

function noneIsSynchronous(standbys: readonly StandbyFacts[]): Weakness {
  const names = standbys.map(({ name }) => name || 'unnamed').join(', ')
  return {
    cause: 'standby_asynchronous',
    why: `Commits do not wait for the standby (${names}): a fail-over to it loses commits that had not reached it. Accepted runs vanish, and ended runs run again.`,
    advice: 'If you mean to fail over to it, name it in synchronous_standby_names.',
    weakens: COMMITTED,
  }
}

function commitsDoNotWait(setting: 'local' | 'remote_write'): Weakness {
  const local = setting === 'local'
  return {
    cause: 'synchronous_commit',
    why: local
      ? 'synchronous_commit is local: commits do not wait for the synchronous standby. A fail-over loses commits that had not reached it.'
      : "synchronous_commit is remote_write: commits do not wait for the standby's disk. If the standby's machine crashes too, a fail-over to it loses them.",
    advice: 'Set synchronous_commit = on for this role or database.',
    weakens: COMMITTED,
  }
}

function connectionWeaknesses({ readOnly, connectionsFree }: GuaranteeFacts): Weakness[] {
  const found: Weakness[] = []
  if (readOnly)
    found.push({
      cause: 'read_only',
      why: 'Transactions of this role or database are read-only: runs are not accepted, started or ended.',
      advice: 'Unset default_transaction_read_only.',
      weakens: ['nothing-lost'],
    })
  if (connectionsFree < CONNECTIONS_OF_A_NODE)
    found.push({
      cause: 'connections',
      why: `${Math.max(0, connectionsFree)} connections are free; a busy node opens up to ${CONNECTIONS_OF_A_NODE}. A worker without a connection cannot renew its lease, and loses its runs to other workers.`,
      advice:
        'Raise max_connections (or the limit of the role or database), or connect through PgBouncer.',
      weakens: ['nothing-lost', 'honest-effects'],
    })
  return found
}

function timeWeaknesses({ clockOffsetMs, plannerZoneData }: GuaranteeFacts): Weakness[] {
  const found: Weakness[] = []
  if (Math.abs(clockOffsetMs) > CLOCK_OFFSET_MAX_MS)
    found.push({
      cause: 'clock',
      why: `The clock of this machine is ${shownOffset(clockOffsetMs)} the server's. This does not affect leases and due times, but an instant that a program on this machine computes (runAt) is off by the same amount.`,
      advice: 'Run NTP (chrony, systemd-timesyncd) on both machines, or submit with delayMs.',
      weakens: ['database-clock'],
    })
  const versions = [...new Set(plannerZoneData ?? [])].sort()
  if (versions.length > 1)
    found.push({
      cause: 'zone_data',
      why: `Planners have different time zone data (${versions.join(', ')}). Only those with ${versions.at(-1)} plan; when the last of them stops, slots are computed by older rules.`,
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
    notes.push(
      'No standby is connected: this server has the only copy. If it is lost, only backups remain.',
    )
  if (standbys.some(isSynchronous) && others.length > 0)
    notes.push(
      `Fail over to ${listed(standbys.filter(isSynchronous))} only; ${listed(others)} may lack the last commits.`,
    )
  if (standbys.some(({ syncState }) => syncState === null))
    notes.push('This role cannot see the state of standbys: grant pg_read_all_stats to it.')
  if (pooled)
    notes.push(
      'This process connects through a pooler: all guarantees hold; workers find new runs by polling.',
    )
  if (!dataChecksums)
    notes.push(
      'Data checksums are off: the server does not notice data that a faulty disk changes.',
    )
  if (readStandby) notes.push(replicaNote(readStandby))
  if (rowSecurity !== null && rowSecurity !== 'up')
    notes.push(
      `Tenants are separated only by the predicates of the queries: row security is not in force (${rowSecurity}).`,
    )
  return notes
}

function replicaNote({ allowedMs, lagMs, skippedBecause }: ReadStandbyFacts): string {
  if (skippedBecause !== null)
    return `The read replica is skipped (${skippedBecause}): the primary serves lists and reports.`
  return `A read replica serves lists and reports. It is ${lagMs} ms behind; ${allowedMs} ms are allowed. No decision is based on it.`
}

function listed(standbys: readonly StandbyFacts[]): string {
  return standbys.map(({ name }) => name || 'unnamed').join(', ')
}
