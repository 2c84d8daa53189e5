/** The command line of the bench. */
import { parseArgs } from 'node:util'
import { SYSTEMS } from '../systems/catalogue.mjs'

export const USAGE = `npm run bench -- <scenario | all> [options]

  --json                print the result as JSON on the last line
  --markdown            print Markdown on standard output (progress goes to standard error)
  --only a,b            run only these systems: ${Object.keys(SYSTEMS).join(', ')}
  --scale 0.1           a tenth of every count and duration, for a quick look
  --rounds 3            alternate the systems three times and report the median
  --database-url URL    use this PostgreSQL (role with CREATEDB) instead of starting one
  --redis-url URL       use this Redis (it is flushed!) instead of starting one
  --processes N         worker processes in 'busy' (default 55)
  --minutes N           how long 'cron-steady' fires (default 2)
  --no-jitter           do not spread jobs of 'cron-steady' and 'cron-peak' that are due at a full minute`

export function parseOptions(argv) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: Object.keys(SYSTEMS).join(',') },
      scale: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '1' },
      processes: { type: 'string', default: '55' },
      minutes: { type: 'string', default: '2' },
      'no-jitter': { type: 'boolean', default: false },
      'database-url': { type: 'string' },
      'redis-url': { type: 'string' },
    },
  })
  const only = values.only.split(',').filter(Boolean)
  const unknown = only.filter((name) => !(name in SYSTEMS))
  if (unknown.length > 0) throw new Error(`Unknown system: ${unknown.join(', ')}\n\n${USAGE}`)
  return {
    scenario: positionals[0],
    json: values.json,
    markdown: values.markdown,
    help: values.help,
    only,
    scale: positive(values.scale, '--scale'),
    rounds: positive(values.rounds, '--rounds'),
    processes: positive(values.processes, '--processes'),
    minutes: positive(values.minutes, '--minutes'),
    jitter: !values['no-jitter'],
    databaseUrl: values['database-url'],
    redisUrl: values['redis-url'],
  }
}

function positive(text, name) {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`${name} must be a positive number; got ${text}.`)
  return value
}
