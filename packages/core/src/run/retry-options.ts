/** The retry policy, as rows of an option table. */
import { checkedBy, unchecked } from '../option/kinds.ts'
import type { Kind, OptionTable } from '../option/option.ts'
import {
  type BackoffInput,
  CODES_MAX,
  compileRetryPolicy,
  type RetryPolicy,
  type RetryPolicyInput,
} from './retry.ts'

const codes = unchecked<readonly string[]>({
  type: 'list',
  max: CODES_MAX,
  of: 'outcomes and error codes',
})

const retryMembers = {
  backoff: {
    kind: unchecked<BackoffInput>({ type: 'backoff' }),
    defaultShown: 'exponential:1s..1h',
    help: 'the delay before the next attempt',
    flag: '--backoff <delays>',
    flagHelp: 'exponential:1s..1h, linear:1m..1h, fixed:10s or list:1s,10s,1m',
  },
  retryOn: {
    kind: codes,
    help: 'retry only these: failed, timed_out, crashed, error codes',
    flag: '--retry-on <name...>',
  },
  abortOn: {
    kind: codes,
    help: 'never retry these error names or codes',
    flag: '--abort-on <name...>',
  },
} as const satisfies OptionTable

export const retryKind: Kind<RetryPolicyInput, RetryPolicy> = checkedBy(
  { type: 'members', members: retryMembers },
  (_, value) => compileRetryPolicy(value as RetryPolicyInput),
)
