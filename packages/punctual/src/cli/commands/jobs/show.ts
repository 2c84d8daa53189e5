/** `punctual jobs show <job>`: one job, its state and its next fires. */
import { type Job, misfireOf } from '@punctual/core/job'
import type { Command } from 'commander'
import { showAge, showDuration } from '../../flags/durations.ts'
import { showLocal } from '../../flags/instants.ts'
import { jobFires } from '../../output/job-fires.ts'
import {
  jobJson,
  jobState,
  jobStateColour,
  jobZone,
  labelText,
  scheduleText,
} from '../../output/job-view.ts'
import { concurrencyText, deliveryText, rateText, targetText } from '../../output/policy-text.ts'
import { exit } from '../../runtime/exit-code.ts'
import { type CommandContext, perform } from '../../runtime/perform.ts'
import { addFlags } from '../../runtime/setting-flags.ts'
import type { Terminal } from '../../runtime/terminal.ts'
import { findJob } from '../../target/find-job.ts'
import { openOperator } from '../../target/open-operator.ts'
import { showNext } from './create.ts'

const FIRES = 3

export function addJobsShow(parent: Command): void {
  const command = parent
    .command('show')
    .description('show one job: schedule, policies, payload, state, and its next fires')
    .argument('<job>', 'name or id of the job')
  addFlags(command, ['database', 'server'])
  command.action((name: string) => perform(command, (context) => showOne(context, name)))
}

async function showOne(context: CommandContext, name: string) {
  const { terminal, json } = context
  const punctual = await openOperator(context)
  const job = await findJob(punctual, name)
  const next = await jobFires(punctual, job, { count: FIRES })
  if (json) terminal.json({ ...jobJson(job), next })
  else {
    showJob(terminal, job, punctual.nowMs())
    terminal.line()
    showNext(terminal, job, next)
  }
  return exit.ok
}

function showJob(terminal: Terminal, job: Job, nowMs: number): void {
  const { colors } = terminal
  const { rules } = job
  const at = (instant: Date | null) =>
    instant && `${showLocal(instant, jobZone(rules))} (${showAge(instant, nowMs)})`
  const field = (name: string, value: string | number | null | undefined | false) => {
    if (value !== null && value !== undefined && value !== '' && value !== false)
      terminal.line(`${colors.dim(name.padEnd(11))} ${value}`)
  }
  field('job', `${job.name} (${job.id})`)
  field('state', jobStateColour(colors, jobState(job)))
  field('why', job.planningError ?? job.pausedNote)
  field('paused', at(job.pausedAt))
  field('description', job.description)
  field('owner', job.owner)
  field('source', job.source)
  field('labels', labelText(job.labels))
  field('schedule', `${scheduleText(rules)} (${jobZone(rules)})`)
  field('next slot', at(job.nextAt))
  field('starts', at(job.startAt))
  field('ends', at(job.endAt))
  field('runs left', job.runsLeft === null ? null : `${job.runsLeft} of ${job.maxRuns}`)
  field('jitter', rules.jitterMs && `up to ${showDuration(rules.jitterMs)}`)
  field('calendars', rules.calendars?.join(', '))
  field('DST', clocksText(rules))
  field('misfire', misfireText(job))
  field('overlap', rules.overlap)
  field('failures', failuresText(job))
  field('target', targetText(job.target))
  field('handler', `${job.handler} (queue ${job.queue}, priority ${job.priority})`)
  field('payload', JSON.stringify(job.payload))
  field('attempts', `at most ${job.maxAttempts}, each up to ${showDuration(job.timeoutMs)}`)
  field('delivery', deliveryText(job.delivery, job.heartbeatMs))
  field('concurrency', concurrencyText(job))
  field('rate', rateText(job))
  field('created', at(job.createdAt))
  field('by', job.createdBy)
  field('changed', job.version > 1 && `${at(job.updatedAt)}, version ${job.version}`)
}

function clocksText({ gap, fold, dayRule }: Job['rules']): string {
  const parts = [gap && `gap ${gap}`, fold && `fold ${fold}`, dayRule && `day rule ${dayRule}`]
  return parts.filter(Boolean).join(', ')
}

function misfireText({ rules }: Job): string {
  const { policy, maxAgeMs, maxCount, dripMs } = misfireOf(rules)
  if (policy !== 'all') return policy
  const drip = dripMs > 0 ? `, ${showDuration(dripMs)} apart` : ''
  return `all slots missed in the last ${showDuration(maxAgeMs)} (at most ${maxCount}), older ones as one run${drip}`
}

function failuresText({ rules, failures }: Job): string | null {
  if (rules.pauseAfterFailures === undefined) return null
  return `${failures} dead runs in a row; pauses after ${rules.pauseAfterFailures}`
}
