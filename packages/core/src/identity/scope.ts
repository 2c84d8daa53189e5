/** What keys may do, as data: docs/guides/tenants-and-keys.md repeats the table, and a test holds them equal. */

/** What a key may do. */
export type Scope = 'read' | 'submit' | 'operate' | 'worker' | 'admin' | 'system'

export const scopes = {
  read: {
    includes: ['read'],
    meaning:
      'Looks at everything of its tenant but API keys, secrets and the audit log, and changes nothing.',
  },
  submit: { includes: ['submit'], meaning: 'Submits runs and triggers jobs. It reads nothing.' },
  operate: {
    includes: ['operate'],
    meaning:
      'Changes jobs, calendars, queues and limits; steers runs, dead letters and its own workers.',
  },
  worker: {
    includes: ['worker'],
    meaning: 'Claims runs of its tenant, works on them and settles them. Nothing else.',
  },
  admin: {
    includes: ['admin', 'read', 'submit', 'operate'],
    meaning:
      "Looks after its tenant's keys and secrets, and reads its audit log. It does not work.",
  },
  system: {
    includes: ['system', 'admin', 'read', 'submit', 'operate', 'worker'],
    meaning: 'Everything, across tenants: makes, limits, suspends and erases them.',
  },
} as const satisfies Record<Scope, { includes: readonly Scope[]; meaning: string }>

export const scopeNames = Object.keys(scopes) as Scope[]

/** Whether one of the scopes that are held includes the one that is needed. */
export function holdsScope(held: readonly Scope[], needed: Scope): boolean {
  return held.some((scope) => (scopes[scope].includes as readonly Scope[]).includes(needed))
}
