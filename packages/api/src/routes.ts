/** Every route under /v1, in the order of the reference page. */
import type { AnyRoute } from './http/define-route.ts'
import { streamActivity } from './routes/activity/stream.ts'
import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './routes/api-keys/routes.ts'
import { listAudit, verifyAudit } from './routes/audit/routes.ts'
import {
  deleteCalendar,
  getCalendar,
  listCalendars,
  setCalendar,
} from './routes/calendars/routes.ts'
import { discardDeadLetter, replayDeadLetter } from './routes/dead-letters/handle.ts'
import { bulkDiscard, bulkReplay } from './routes/dead-letters/handle-many.ts'
import { getDeadLetter, listDeadLetterCauses, listDeadLetters } from './routes/dead-letters/look.ts'
import {
  closeGroup,
  createGroup,
  getGroup,
  listGroupRuns,
  listGroups,
} from './routes/groups/routes.ts'
import { getGuarantees } from './routes/installation/guarantees.ts'
import { activateWorker, drainWorker, getMe, listWorkers } from './routes/installation/routes.ts'
import { createJob } from './routes/jobs/create.ts'
import { createJobs } from './routes/jobs/create-bulk.ts'
import { deleteJob } from './routes/jobs/delete.ts'
import { getJob } from './routes/jobs/get.ts'
import { listJobs } from './routes/jobs/list.ts'
import { explainJob, listSlots, previewJob } from './routes/jobs/look.ts'
import { patchJob } from './routes/jobs/patch.ts'
import { putJob } from './routes/jobs/put.ts'
import { backfillJob, pauseJob, resumeJob, skipSlot, triggerJob } from './routes/jobs/steer.ts'
import { listLimits, removeQueueLimit, setQueueLimit } from './routes/limits/routes.ts'
import { listQueues, pauseAll, pauseQueue, resumeAll, resumeQueue } from './routes/queues/routes.ts'
import { explainRun, getOutput, getRun } from './routes/runs/get.ts'
import { countRuns, listRuns } from './routes/runs/list.ts'
import { getLogs } from './routes/runs/logs.ts'
import { completeRun, failRun, progressRun } from './routes/runs/report.ts'
import { resolveRun, retryRun } from './routes/runs/retry.ts'
import { retryRuns } from './routes/runs/retry-many.ts'
import {
  cancelRun,
  patchRun,
  prioritiseRun,
  promoteRun,
  rescheduleRun,
} from './routes/runs/steer.ts'
import { cancelRuns, promoteRuns, rescheduleRuns } from './routes/runs/steer-many.ts'
import { submitRun } from './routes/runs/submit.ts'
import { submitRuns } from './routes/runs/submit-bulk.ts'
import { deleteSecret, listSecrets, setSecret } from './routes/secrets/routes.ts'
import { getReport, getStats } from './routes/stats/routes.ts'
import {
  createTenant,
  eraseTenant,
  exportTenant,
  getTenant,
  getUsage,
  listTenants,
  resumeTenant,
  suspendTenant,
  updateTenant,
} from './routes/tenants/routes.ts'

export const routes: readonly AnyRoute[] = [
  ...[createJob, createJobs, listJobs, getJob, putJob, patchJob, deleteJob],
  ...[pauseJob, resumeJob, triggerJob, skipSlot, backfillJob, previewJob, listSlots, explainJob],
  ...[submitRun, submitRuns, listRuns, countRuns, getRun, getOutput, getLogs, explainRun],
  ...[cancelRun, retryRun, rescheduleRun, promoteRun, prioritiseRun, patchRun, resolveRun],
  ...[completeRun, failRun, progressRun],
  ...[cancelRuns, promoteRuns, rescheduleRuns, retryRuns],
  ...[
    listDeadLetters,
    listDeadLetterCauses,
    getDeadLetter,
    replayDeadLetter,
    discardDeadLetter,
    bulkReplay,
    bulkDiscard,
  ],
  streamActivity,
  ...[createGroup, listGroups, getGroup, listGroupRuns, closeGroup],
  ...[listQueues, pauseQueue, resumeQueue, pauseAll, resumeAll],
  ...[listLimits, setQueueLimit, removeQueueLimit],
  ...[listCalendars, getCalendar, setCalendar, deleteCalendar],
  ...[listWorkers, drainWorker, activateWorker],
  ...[getStats, getReport],
  ...[listAudit, verifyAudit],
  ...[listSecrets, setSecret, deleteSecret],
  ...[createApiKey, listApiKeys, rotateApiKey, revokeApiKey],
  ...[createTenant, listTenants, getTenant, updateTenant, suspendTenant, resumeTenant],
  ...[getUsage, exportTenant, eraseTenant],
  ...[getMe, getGuarantees],
]

export type { AnyRoute }
