/** The command line as a whole: every command, in the order in which people need them. */
import { Command } from 'commander'
import { version } from '../version.ts'
import { addConfigShow } from './commands/config-show.ts'
import { addDoctor } from './commands/doctor.ts'
import { addMigrate } from './commands/migrate.ts'
import { addQueues } from './commands/queues.ts'
import { addRunsCancel } from './commands/runs-cancel.ts'
import { addRunsList } from './commands/runs-list.ts'
import { addRunsLogs } from './commands/runs-logs.ts'
import { addRunsReschedule } from './commands/runs-reschedule.ts'
import { addRunsShow } from './commands/runs-show.ts'
import { addRunsTail } from './commands/runs-tail.ts'
import { addStart } from './commands/start.ts'
import { addSubmit } from './commands/submit.ts'
import { addWorker } from './commands/worker.ts'
import { addWorkers } from './commands/workers.ts'
import { exitCodes } from './exit-code.ts'

export function createProgram(): Command {
  const program = new Command('punctual')
    .description('Every job, once, on time: a job scheduler on PostgreSQL.')
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    // Errors are thrown, and told in one form with all others.
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
  addStart(program)
  addWorker(program)
  addSubmit(program)
  const runs = program
    .command('runs')
    .description('look at runs, and steer those that wait')
    .helpCommand(false)
  for (const add of [
    addRunsList,
    addRunsShow,
    addRunsTail,
    addRunsLogs,
    addRunsCancel,
    addRunsReschedule,
  ])
    add(runs)
  addQueues(program)
  addWorkers(program)
  addDoctor(program)
  addMigrate(program)
  const config = program
    .command('config')
    .description('look at the configuration')
    .helpCommand(false)
  addConfigShow(config)
  return program.addHelpText('after', footer())
}

function footer(): string {
  const rows = Object.values(exitCodes).map(
    ({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`,
  )
  const examples = [
    '  punctual start --sample',
    `  punctual submit send-email '{"to":"a@b.c"}' --delay 10s --wait`,
    '  punctual runs list --state dead --json',
  ]
  return ['', 'Examples:', ...examples, '', 'Exit codes:', ...rows].join('\n')
}
