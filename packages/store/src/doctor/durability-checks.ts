/** Whether what was accepted survives: the settings that decide what a crash or a fail-over loses. */
import { type Facts, type Finding, fail, ok, warn } from './finding.ts'

export function durabilityChecks(facts: Facts): Finding[] {
  return [fsync(facts), fullPageWrites(facts), synchronousCommit(facts), standbys(facts)]
}

function fsync({ fsync: found }: Facts): Finding {
  return found === 'on'
    ? ok('fsync', 'on', 'What was accepted is on disk.')
    : fail(
        'fsync',
        String(found),
        'A crash of the machine can lose or corrupt everything, not only the last moments.',
        'Set fsync = on. Off is for throw-away data only.',
      )
}

function fullPageWrites({ full_page_writes: found }: Facts): Finding {
  return found === 'on'
    ? ok('full_page_writes', 'on', 'A page that was half written is repaired after a crash.')
    : warn(
        'full_page_writes',
        String(found),
        'A page that was half written when the machine crashed stays broken.',
        'Set full_page_writes = on, unless the file system writes whole pages (such as ZFS).',
      )
}

function synchronousCommit(facts: Facts): Finding {
  const found = facts.synchronous_commit as string
  if (found === 'off')
    return fail(
      'synchronous_commit',
      found,
      'Runs that were accepted in the last moments before a crash are lost.',
      'Set synchronous_commit = on for this role or database.',
    )
  if (found === 'local' && facts.standby_names !== '')
    return warn(
      'synchronous_commit',
      found,
      'Commits do not wait for the synchronous standby: a fail-over can lose accepted runs.',
      'Set synchronous_commit = on for this role or database.',
    )
  return ok('synchronous_commit', found, 'Accepted means committed to disk.')
}

function standbys({ standby_names: names, standbys }: Facts): Finding {
  const count = Number(standbys)
  if (names !== '' && count === 0)
    return warn(
      'standbys',
      `synchronous: ${names}, and none is connected`,
      'Every commit waits for one: nothing is accepted, started or ended meanwhile.',
      'Start it, name another one, or empty synchronous_standby_names.',
    )
  if (names !== '') return ok('standbys', `synchronous: ${names}`, 'A fail-over loses nothing.')
  if (count === 0)
    return ok('standbys', 'none', 'The only copy is here; backups are what is left after a loss.')
  return warn(
    'standbys',
    `${count}, none synchronous`,
    'A fail-over loses what was accepted and had not reached the standby.',
    'Name one in synchronous_standby_names if no accepted run may be lost.',
  )
}
