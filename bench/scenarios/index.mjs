/**
 * The scenarios. Each file exports one object:
 *
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} what  one line for the heading
 * @property {string[]} systems  the systems that it applies to
 * @property {(bench: import('../lib/bench.mjs').Bench, system: string) => Promise<object>} measure
 * @property {(result: object) => number} figure  the number that is compared and drawn
 * @property {import('../systems/catalogue.mjs').SettingsOf[]} settings  which settings were in use
 * @property {Record<string, string>} [server]  PostgreSQL settings that the scenario needs
 * @property {'higher' | 'lower'} better
 * @property {string} unit
 * @property {(result: object) => Record<string, string>} columns  additional table cells
 * @property {(results: Record<string, object>) => { rule: string, value: string, pass: boolean | null }[]} bars
 * @property {string[]} [comparedPeers]  peers included in `ratioToBestPeer`; absent = all
 * @property {(result: object) => object} json  one system's part of the JSON line
 */

import { cronPeak } from './cron/cron-peak.mjs'
import { cronSteady } from './cron/cron-steady.mjs'
import { fire } from './cron/fire.mjs'
import { mix } from './cron/mix.mjs'
import { next } from './cron/next.mjs'
import { planScale } from './cron/plan-scale.mjs'
import { register } from './cron/register.mjs'
import { drain } from './drain.mjs'
import { drainTenant } from './drain-tenant.mjs'
import { fleet } from './fleet.mjs'
import { frozen } from './frozen.mjs'
import { history } from './history.mjs'
import { hotSecond } from './hot-second.mjs'
import { api } from './http/api.mjs'
import { busy } from './http/busy.mjs'
import { callbacks } from './http/callbacks.mjs'
import { requests } from './http/requests.mjs'
import { idle } from './idle.mjs'
import { keys } from './keys.mjs'
import { noisyNeighbour } from './noisy-neighbour.mjs'
import { pickup } from './pickup.mjs'
import { pickupLegs } from './pickup-legs.mjs'
import { steady } from './steady.mjs'
import { submit } from './submit.mjs'
import { submitOne } from './submit-one.mjs'

/** @type {Scenario[]} */
export const SCENARIOS = [
  ...[
    submit,
    submitOne,
    drain,
    drainTenant,
    steady,
    pickup,
    pickupLegs,
    frozen,
    fleet,
    busy,
    idle,
    fire,
    mix,
    keys,
    noisyNeighbour,
  ],
  ...[
    next,
    register,
    planScale,
    hotSecond,
    cronSteady,
    cronPeak,
    history,
    api,
    requests,
    callbacks,
  ],
]
