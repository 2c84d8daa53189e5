/**
 * The scopes of API keys, as data: docs/guides/tenants-and-keys.md repeats the table, and a test
 * compares the two.
 */

/** A permission of an API key. */
export type Scope = 'read' | 'submit' | 'operate' | 'worker' | 'admin' | 'system'

export const scopes = {
  read: {
    includes: ['read'],
    meaning:
      'Reads everything of its tenant except API keys, secrets and the audit log; changes nothing.',
  },
  submit: { includes: ['submit'], meaning: 'Submits runs and triggers jobs. Reads nothing.' },
  operate: {
    includes: ['operate'],
    meaning:
      'Changes jobs, calendars, queues and limits; controls runs, dead letters and its own workers.',
  },
  worker: {
    includes: ['worker'],
    meaning: 'Claims, executes and settles runs of its tenant. Nothing else.',
  },
  admin: {
    includes: ['admin', 'read', 'submit', 'operate'],
    meaning: "Manages its tenant's keys and secrets, and reads its audit log. Executes no runs.",
  },
  system: {
    includes: ['system', 'admin', 'read', 'submit', 'operate', 'worker'],
    meaning: 'Everything, across tenants: creates, limits, suspends and erases them.',
  },
} as const satisfies Record<Scope, { includes: readonly Scope[]; meaning: string }>

export const scopeNames = Object.keys(scopes) as Scope[]

/** Whether one of the held scopes includes the needed one. */
export function holdsScope(held: readonly Scope[], needed: Scope): boolean {
  return held.some((scope) => (scopes[scope].includes as readonly Scope[]).includes(needed))
}
