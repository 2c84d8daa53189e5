/**
 * The hostile tenant. It attacks the addresses that it is asked to attack, in all its ways at the
 * same time, and sends as many requests a second as it is asked to: what the attacks leave of them,
 * a flood of every route uses up.
 */
import { readSettings } from '../../plan/child-settings.ts'
import { type Attack, rest, run } from '../attacks/attack.ts'
import { badLines, flood, guarantees, largePages, reconnects } from '../attacks/requests.ts'
import { Sender } from '../attacks/sender.ts'
import { calendars, lanes, limits, pauses, slowRates } from '../attacks/stored-rows.ts'
import { streamFigures, streams } from '../attacks/streams.ts'
import { largeClaims, longPolls, sessions } from '../attacks/worker-sessions.ts'
import { answerQuestions } from '../plan/answer-questions.ts'
import type { AttackFigures, Order } from '../plan/attack-figures.ts'
import type { Keys } from '../plan/tenants.ts'

const { keys } = readSettings().more as { keys: Keys }
const TICK_MS = 10
const FLOOD_IN_FLIGHT_MAX = 1_000
/** Requests that were not sent in time are sent at this multiple of the rate, not all at once. */
const CATCH_UP = 4
/** The share of the time without the flood. */
const QUIET_SHARE = 0.25

const attacks: readonly Attack[] = [
  ...[guarantees, sessions, longPolls, largeClaims, largePages, lanes, slowRates],
  ...[pauses, limits, calendars, badLines, streams, reconnects],
]

async function attack(order: Order): Promise<AttackFigures> {
  const { servers, routes, ms, only } = order
  const ending = AbortSignal.timeout(ms)
  const sender = new Sender(servers, keys.hostile, ending)
  streamFigures.most = 0
  const chosen = attacks.filter(({ name }) => only?.includes(name) ?? true)
  const ended = new Promise((resolve) => ending.addEventListener('abort', resolve))
  for (const attack of chosen) void run(attack, sender)
  void floodAt(order, flood(routes), sender)
  // Not until every request is answered: a server may hold some of them far longer than the attack.
  await ended
  const counts = [...sender.counts].map(([name, byStatus]) => [name, Object.fromEntries(byStatus)])
  const { sent, admitted } = sender
  return { sent, admitted, streams: streamFigures.most, counts: Object.fromEntries(counts) }
}

/**
 * Brings the number of all requests to the rate, whatever the other attacks send. It begins late: what
 * the flood takes of the rate of the tenant, the other attacks do not have.
 */
async function floodAt(
  { perSecond: mean, ms }: Order,
  strike: ReturnType<typeof flood>,
  sender: Sender,
): Promise<void> {
  await rest(ms * QUIET_SHARE, sender.ending)
  const perSecond = mean / (1 - QUIET_SHARE)
  const fromMs = performance.now()
  let turn = 0
  let inFlight = 0
  while (!sender.ending.aborted) {
    const wanted = ((performance.now() - fromMs) / 1_000) * perSecond
    const most = Math.ceil((perSecond * TICK_MS * CATCH_UP) / 1_000)
    for (let n = 0; n < most && sender.sent < wanted && inFlight < FLOOD_IN_FLIGHT_MAX; n++) {
      inFlight++
      void strike(sender, turn++).finally(() => inFlight--)
    }
    await rest(TICK_MS, sender.ending)
  }
}

answerQuestions({ attack })
