/** The command line as a whole: every command, in the order in which people need them. */
import { Command } from 'commander'
import { version } from '../config/version.ts'
import {
  addApiKeysCreate,
  addApiKeysGenerate,
  addApiKeysList,
  addApiKeysRevoke,
  addApiKeysRotate,
} from './commands/api-keys.ts'
import { addAuditList } from './commands/audit/list.ts'
import { addAuditVerify } from './commands/audit/verify.ts'
import { addCalendarsDelete, addCalendarsList, addCalendarsSet } from './commands/calendars.ts'
import { addConfigShow } from './commands/config/show.ts'
import { addDeadCauses } from './commands/dead/causes.ts'
import { addDeadDiscard } from './commands/dead/discard.ts'
import { addDeadList } from './commands/dead/list.ts'
import { addDeadReplay } from './commands/dead/replay.ts'
import { addDeadShow } from './commands/dead/show.ts'
import { addDoctor } from './commands/doctor.ts'
import { addGroupsCancel } from './commands/groups/cancel.ts'
import { addGroupsList } from './commands/groups/list.ts'
import { addGroupsShow } from './commands/groups/show.ts'
import { addImportCrontab } from './commands/import/crontab.ts'
import { addJobsApply } from './commands/jobs/apply.ts'
import { addJobsBackfill } from './commands/jobs/backfill.ts'
import { addJobsCreate } from './commands/jobs/create.ts'
import { addJobsDelete } from './commands/jobs/delete.ts'
import { addJobsExplain } from './commands/jobs/explain.ts'
import { addJobsExport } from './commands/jobs/export.ts'
import { addJobsList } from './commands/jobs/list.ts'
import { addJobsPause, addJobsResume } from './commands/jobs/pause.ts'
import { addJobsPreview } from './commands/jobs/preview.ts'
import { addJobsShow } from './commands/jobs/show.ts'
import { addJobsSkip } from './commands/jobs/skip.ts'
import { addJobsSlots } from './commands/jobs/slots.ts'
import { addJobsTrigger } from './commands/jobs/trigger.ts'
import { addLimitsList, addLimitsRemove, addLimitsSet } from './commands/limits.ts'
import { addMigrate } from './commands/migrate.ts'
import { addNext } from './commands/next.ts'
import { addQueuesList } from './commands/queues/list.ts'
import { addQueuesPause, addQueuesResume } from './commands/queues/pause.ts'
import { addRunsCancel } from './commands/runs/cancel.ts'
import { addRunsEdit } from './commands/runs/edit.ts'
import { addRunsList } from './commands/runs/list.ts'
import { addRunsLogs } from './commands/runs/logs.ts'
import { addRunsPromote } from './commands/runs/promote.ts'
import { addRunsReprioritise } from './commands/runs/reprioritise.ts'
import { addRunsReschedule } from './commands/runs/reschedule.ts'
import { addRunsResolve } from './commands/runs/resolve.ts'
import { addRunsShow } from './commands/runs/show.ts'
import { addRunsTail } from './commands/runs/tail.ts'
import {
  addSecretsDelete,
  addSecretsList,
  addSecretsRotateKey,
  addSecretsSet,
} from './commands/secrets.ts'
import { addStart } from './commands/start.ts'
import { addSubmit } from './commands/submit.ts'
import { addTenantsErase } from './commands/tenants/erase.ts'
import { addTenantsResume, addTenantsSuspend } from './commands/tenants/suspend.ts'
import {
  addTenantsCreate,
  addTenantsList,
  addTenantsShow,
  addTenantsUpdate,
} from './commands/tenants/tenants.ts'
import { addTenantsExport, addTenantsUsage } from './commands/tenants/usage.ts'
import { addVerify } from './commands/verify.ts'
import { addWorker } from './commands/worker.ts'
import { addWorkersActivate, addWorkersDrain } from './commands/workers/drain.ts'
import { addWorkersList } from './commands/workers/list.ts'
import { exitCodes } from './runtime/exit-code.ts'

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
  addGroup(program, 'runs', 'look at runs, and steer them', [
    ...[addRunsList, addRunsShow, addRunsTail, addRunsLogs, addRunsCancel, addRunsReschedule],
    ...[addRunsPromote, addRunsReprioritise, addRunsEdit, addRunsResolve],
  ])
  addGroup(program, 'dead', 'look at runs that died, run them again, or discard them', [
    ...[addDeadList, addDeadCauses, addDeadShow, addDeadReplay, addDeadDiscard],
  ])
  addGroup(program, 'groups', 'look at groups of runs, and cancel them', [
    ...[addGroupsList, addGroupsShow, addGroupsCancel],
  ])
  addGroup(program, 'jobs', 'what runs again and again, or once under a name', [
    ...[addJobsCreate, addJobsList, addJobsShow, addJobsDelete, addJobsPause, addJobsResume],
    ...[addJobsTrigger, addJobsPreview, addJobsSkip, addJobsBackfill, addJobsSlots],
    ...[addJobsExplain, addJobsApply, addJobsExport],
  ])
  addGroup(program, 'calendars', 'dates and times at which jobs run, or do not', [
    ...[addCalendarsList, addCalendarsSet, addCalendarsDelete],
  ])
  addNext(program)
  addGroup(program, 'import', 'make jobs of what another scheduler has', [addImportCrontab])
  addGroup(program, 'queues', 'look at queues, pause and resume them', [
    ...[addQueuesList, addQueuesPause, addQueuesResume],
  ])
  addGroup(program, 'limits', 'how many runs of a queue go on at once and start in a time', [
    ...[addLimitsList, addLimitsSet, addLimitsRemove],
  ])
  addGroup(program, 'workers', 'look at workers, and drain them', [
    ...[addWorkersList, addWorkersDrain, addWorkersActivate],
  ])
  addGroup(program, 'secrets', 'values that handlers need and nobody else may see', [
    ...[addSecretsList, addSecretsSet, addSecretsDelete, addSecretsRotateKey],
  ])
  addGroup(program, 'audit', 'who changed what, and whether the log of it is as it was written', [
    ...[addAuditList, addAuditVerify],
  ])
  addGroup(program, 'tenants', 'who shares the installation, and what each may have', [
    ...[addTenantsList, addTenantsCreate, addTenantsShow, addTenantsUpdate],
    ...[addTenantsSuspend, addTenantsResume, addTenantsUsage, addTenantsExport, addTenantsErase],
  ])
  addGroup(program, 'api-keys', 'the keys by which callers of the HTTP API are known', [
    ...[addApiKeysList, addApiKeysCreate, addApiKeysRotate, addApiKeysRevoke, addApiKeysGenerate],
  ])
  addVerify(program)
  addDoctor(program)
  addMigrate(program)
  addGroup(program, 'config', 'look at the configuration', [addConfigShow])
  return program.addHelpText('after', footer())
}

function addGroup(
  program: Command,
  name: string,
  description: string,
  commands: readonly ((group: Command) => void)[],
): void {
  const group = program.command(name).description(description).helpCommand(false)
  for (const add of commands) add(group)
}

function footer(): string {
  const rows = Object.values(exitCodes).map(
    ({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`,
  )
  const examples = [
    '  punctual start --sample',
    `  punctual submit send-email '{"to":"a@b.c"}' --delay 10s --wait`,
    '  punctual runs list --state dead --json',
    `  punctual jobs create backup --handler backup --cron '0 2 * * *' --tz Europe/Berlin`,
    `  punctual next '0 2 * * *' --tz Europe/Berlin --around-dst`,
  ]
  return ['', 'Examples:', ...examples, '', 'Exit codes:', ...rows].join('\n')
}
