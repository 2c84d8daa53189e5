/**
 * Names of jobs created from a crontab. A name depends on the command alone, so that importing
 * again after an edit elsewhere in the file finds the same jobs. Only a second job with the same
 * command gets a suffix, derived from its schedule.
 */
import { createHash } from 'node:crypto'
import type { CrontabEntry } from './read-crontab.ts'

const LENGTH_MAX = 60
const SUFFIX_LENGTH = 6

/** Words that say how a command is run, not what it does. */
const WRAPPERS =
  /^(?:sudo|nice|ionice|nohup|exec|time|env|sh|bash|zsh|dash|python[\d.]*|perl|php[\d.]*|node|ruby)$/

export function nameEntries(entries: readonly CrontabEntry[], prefix: string): string[] {
  const taken = new Set<string>()
  return entries.map((entry) => {
    const plain = `${prefix}${slugOf(entry.command)}`
    const suffixed = `${plain}-${suffixOf(entry)}`
    let name = taken.has(plain) ? suffixed : plain
    for (let n = 2; taken.has(name); n++) name = `${suffixed}-${n}`
    taken.add(name)
    return name
  })
}

/** `/usr/bin/php /srv/app/cron.php --queue=mail > /dev/null 2>&1` becomes `cron-php-queue-mail`. */
function slugOf(command: string): string {
  const words = lastStep(command)
    .replace(/\d*>>?\s*(?:&\d|\S+)|<\s*\S+/g, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^["'(]+|["');]+$/g, ''))
    .filter((word) => word !== '' && !/^[A-Za-z_]\w*=/.test(word))
    .map((word) => (/^[^-=]*\//.test(word) ? (word.split('/').filter(Boolean).at(-1) ?? '') : word))
  const start = words.findIndex((word) => !WRAPPERS.test(word) && !/^-/.test(word))
  const slug = (start < 0 ? words : words.slice(start))
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LENGTH_MAX)
    .replace(/^-+|-+$/g, '')
  return slug || 'job'
}

/** Drops tests and directory changes that come first: `cd /srv && make`, `test -x /x || ( /x )`. */
function lastStep(command: string): string {
  const preparing = /^\s*(?:cd|test|\[|command -v|umask|set|export|\.|source)\s[^&|;]*(?:&&|\|\||;)/
  let rest = command
  while (preparing.test(rest)) {
    const next = rest.replace(preparing, '').trim()
    if (next === '') break
    rest = next
  }
  return rest.split(/\|\||&&|[|;]/)[0] as string
}

function suffixOf({ cron, timezone, user, command, stdin }: CrontabEntry): string {
  const text = JSON.stringify([cron, timezone, user, command, stdin])
  return createHash('sha256').update(text).digest('hex').slice(0, SUFFIX_LENGTH)
}
