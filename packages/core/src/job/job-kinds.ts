/** The kinds of values that only jobs have. */
import { checkName } from '../check/check-value.ts'
import type { Instant } from '../check/instant.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'
import { checkedBy, choice, duration, integer, members, name, unchecked } from '../option/kinds.ts'
import type { Kind } from '../option/option.ts'
import { parseExpression } from '../schedule/parse-expression.ts'
import { parsePeriod } from '../schedule/parse-period.ts'
import {
  defaultDstPolicy,
  type FoldPolicy,
  foldPolicies,
  type GapPolicy,
  gapPolicies,
} from '../schedule/zones/dst-policy.ts'
import { zoneOf } from '../schedule/zones/zone.ts'
import { defaultMisfire, type MisfireRules, misfirePolicies } from './job-rules.ts'

/** How clock changes affect fixed times of day. */
export interface DstOptions {
  /** A fixed time that the clocks skip when they go forward. @default 'run-after' */
  gap?: GapPolicy
  /** A fixed time that occurs twice when the clocks go back. @default 'first' */
  fold?: FoldPolicy
}

const DAY_MS = 86_400_000

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const VISIBLE = /[^\s\p{Cf}]/u

/**
 * Jobs are looked up by name or by id, so a name in the form of an id would be taken for one. An
 * invisible name could not be distinguished from others in any list.
 */
export const jobName: Kind<string> = checkedBy(name.form, (field, value) => {
  const checked = checkName(field, value)
  if (!VISIBLE.test(checked)) refuseOption(field, 'a string with visible characters', value)
  if (UUID.test(checked))
    refuseOption(field, 'a string that does not have the form of an id (UUID)', value)
  return checked
})

/** Whether it parses and ever fires is checked together with the time zone and the day rule. */
export const cron: Kind<string> = checkedBy({ type: 'text', max: 256 }, (field, value) =>
  typeof value === 'string' ? value : refuseOption(field, 'a cron expression', value),
)

export const every: Kind<string | number> = checkedBy({ type: 'period' }, (field, value) => {
  const expression = value as string | number
  if (parseExpression(expression, { dayRule: 'or', seed: '' }).kind !== 'cron') return expression
  throw new PunctualError(
    'invalid_schedule',
    `every takes a duration such as 5m, or a repeating interval; got ${shown(value)}. Pass a cron expression as cron.`,
    { field },
  )
})

export const period: Kind<string | number> = checkedBy({ type: 'period' }, (_, value) => {
  parsePeriod(value as string | number)
  return value as string | number
})

/** Read in the time zone of the job when it has no offset, so it is checked with the zone. */
export const localTime: Kind<Instant> = unchecked({ type: 'instant' })

export const zone: Kind<string> = checkedBy(
  { type: 'text', max: 64 },
  (_, value) => zoneOf(value as string).name,
)

export const calendars: Kind<readonly string[]> = checkedBy(
  { type: 'list', max: limits.calendarsPerJob, of: 'names' },
  (field, value) => {
    if (!Array.isArray(value) || value.length > limits.calendarsPerJob)
      refuseOption(field, `a list of at most ${limits.calendarsPerJob} names`, value)
    return [...new Set((value as unknown[]).map((each) => checkName(field, each)))]
  },
)

export const dst: Kind<DstOptions> = members({
  gap: {
    kind: choice(gapPolicies),
    default: defaultDstPolicy.gap,
    help: 'local times that do not exist when clocks go forward',
    guide:
      'for a fixed time that is skipped when clocks go forward: `run-after` it, `shift` by its length, or `skip`',
    flag: '--dst-gap <policy>',
  },
  fold: {
    kind: choice(foldPolicies),
    default: defaultDstPolicy.fold,
    help: 'local times that occur twice when clocks go back',
    guide:
      'for a fixed time that occurs twice when clocks go back: in the `first` pass, the `last`, or `both`',
    flag: '--dst-fold <policy>',
  },
})

export const misfire: Kind<
  MisfireRules['policy'] | Partial<MisfireRules>,
  Partial<MisfireRules>
> = members(
  {
    policy: {
      kind: choice(misfirePolicies),
      default: defaultMisfire.policy,
      help: 'slots missed while no planner ran',
      guide: '`all`: each missed slot runs. `latest`: one run for all of them. `none`: no run',
      flag: '--misfire <policy>',
    },
    graceMs: {
      kind: duration(1_000, DAY_MS),
      default: defaultMisfire.graceMs,
      help: 'a slot this late counts as missed',
      guide: 'a slot counts as missed when it is older than this; until then it runs normally',
      flag: '--misfire-grace <time>',
    },
    maxAgeMs: {
      kind: duration(0, 366 * DAY_MS),
      default: defaultMisfire.maxAgeMs,
      help: 'all: older slots become one run',
      guide: 'with `all`: slots older than this become one run together',
      flag: '--misfire-max-age <time>',
    },
    maxCount: {
      kind: integer(0, 10_000),
      default: defaultMisfire.maxCount,
      help: 'all: at most this many single runs',
      guide:
        'with `all`: the most single runs, for the latest slots; older slots become one run together',
      flag: '--misfire-max-count <n>',
    },
    dripMs: {
      kind: duration(0, 3_600_000),
      default: defaultMisfire.dripMs,
      help: 'pause between catch-up runs',
      guide:
        'the pause between two runs that catch up. The last of them is due within seven days: when they are more, the oldest slots become one run together',
      flag: '--misfire-drip <time>',
    },
  },
  'policy',
)
