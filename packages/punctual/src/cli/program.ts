/** The whole command line: every command, in the order in which users need them. */
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
import { addRun } from './commands/run.ts'
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
    // Errors are thrown, so that main.ts prints all of them in one form.
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
  addStart(program)
  addWorker(program)
  addSubmit(program)
  addRun(program)
  addGroup(program, 'runs', 'list, inspect and change runs', [
    ...[addRunsList, addRunsShow, addRunsTail, addRunsLogs, addRunsCancel, addRunsReschedule],
    ...[addRunsPromote, addRunsReprioritise, addRunsEdit, addRunsResolve],
  ])
  addGroup(program, 'dead', 'inspect, replay and discard dead letters', [
    ...[addDeadList, addDeadCauses, addDeadShow, addDeadReplay, addDeadDiscard],
  ])
  addGroup(program, 'groups', 'inspect and cancel groups of runs', [
    ...[addGroupsList, addGroupsShow, addGroupsCancel],
  ])
  addGroup(program, 'jobs', 'manage jobs: handlers that run on a schedule, or once at a set time', [
    ...[addJobsCreate, addJobsList, addJobsShow, addJobsDelete, addJobsPause, addJobsResume],
    ...[addJobsTrigger, addJobsPreview, addJobsSkip, addJobsBackfill, addJobsSlots],
    ...[addJobsExplain, addJobsApply, addJobsExport],
  ])
  addGroup(program, 'calendars', 'manage calendars: the dates and times at which jobs may run', [
    ...[addCalendarsList, addCalendarsSet, addCalendarsDelete],
  ])
  addNext(program)
  addGroup(program, 'import', 'create jobs from the configuration of another scheduler', [
    addImportCrontab,
  ])
  addGroup(program, 'queues', 'inspect, pause and resume queues', [
    ...[addQueuesList, addQueuesPause, addQueuesResume],
  ])
  addGroup(program, 'limits', 'manage limits on concurrency and on the rate of starts', [
    ...[addLimitsList, addLimitsSet, addLimitsRemove],
  ])
  addGroup(program, 'workers', 'inspect, drain and activate workers', [
    ...[addWorkersList, addWorkersDrain, addWorkersActivate],
  ])
  addGroup(program, 'secrets', 'manage the encrypted values that handlers read', [
    ...[addSecretsList, addSecretsSet, addSecretsDelete, addSecretsRotateKey],
  ])
  addGroup(program, 'audit', 'show who changed what, and verify that the audit log is intact', [
    ...[addAuditList, addAuditVerify],
  ])
  addGroup(program, 'tenants', 'manage tenants and their quotas', [
    ...[addTenantsList, addTenantsCreate, addTenantsShow, addTenantsUpdate],
    ...[addTenantsSuspend, addTenantsResume, addTenantsUsage, addTenantsExport, addTenantsErase],
  ])
  addGroup(program, 'api-keys', 'manage the keys that authenticate callers of the HTTP API', [
    ...[addApiKeysList, addApiKeysCreate, addApiKeysRotate, addApiKeysRevoke, addApiKeysGenerate],
  ])
  addVerify(program)
  addDoctor(program)
  addMigrate(program)
  addGroup(program, 'config', 'show the configuration', [addConfigShow])
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
