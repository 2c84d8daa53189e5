/** Checks the settings that decide what a crash or a fail-over loses. */
import { type Finding, fail, ok, warn } from './finding.ts'
import type { ReadSettingsRow } from './statements.gen.ts'

export function durabilityChecks(facts: ReadSettingsRow): Finding[] {
  return [fsync(facts), fullPageWrites(facts), synchronousCommit(facts), standbys(facts)]
}

function fsync({ fsync: found }: ReadSettingsRow): Finding {
  return found === 'on'
    ? ok('fsync', 'on', 'Accepted runs are on disk.')
    : fail(
        'fsync',
        found,
        'A crash of the machine can lose or corrupt all data, not only the latest commits.',
        'Set fsync = on. Use off for throw-away data only.',
      )
}

function fullPageWrites({ fullPageWrites: found }: ReadSettingsRow): Finding {
  return found === 'on'
    ? ok('full_page_writes', 'on', 'A half-written page is repaired after a crash.')
    : warn(
        'full_page_writes',
        found,
        'A page that was half written when the machine crashed stays corrupt.',
        'Set full_page_writes = on, unless the file system writes whole pages (such as ZFS).',
      )
}

function synchronousCommit(facts: ReadSettingsRow): Finding {
  const found = facts.synchronousCommit
  if (found === 'off')
    return fail(
      'synchronous_commit',
      found,
      'Runs accepted shortly before a crash are lost.',
      'Set synchronous_commit = on for this role or database.',
    )
  if (found === 'local' && facts.standbyNames !== '')
    return warn(
      'synchronous_commit',
      found,
      'Commits do not wait for the synchronous standby: a fail-over can lose accepted runs.',
      'Set synchronous_commit = on for this role or database.',
    )
  return ok('synchronous_commit', found, 'Accepted means committed to disk.')
}

function standbys({ standbyNames: names, standbys: count }: ReadSettingsRow): Finding {
  if (names !== '' && count === 0)
    return warn(
      'standbys',
      `synchronous: ${names}; none of them is connected`,
      'Every commit waits for a synchronous standby: until one connects, runs are not accepted, started or ended.',
      'Start the standby, name another one in synchronous_standby_names, or empty the setting.',
    )
  if (names !== '') return ok('standbys', `synchronous: ${names}`, 'A fail-over loses nothing.')
  if (count === 0)
    return ok(
      'standbys',
      'none',
      'This server has the only copy. If it is lost, only backups remain.',
    )
  return warn(
    'standbys',
    `${count}, none synchronous`,
    'A fail-over loses runs that were accepted but had not reached the standby.',
    'If no accepted run may be lost, name a standby in synchronous_standby_names.',
  )
}
