/**
 * How the types of PostgreSQL, and columns of a meaning that PostgreSQL does not know, are decoded.
 * A line `-- Types: <column> [kind][!], …` in the header of a statement names a kind for a computed
 * column; `!` says that it is never null. Kinds of stored columns are listed here once.
 */

/** A kind of column: the type in TypeScript, and the decoder of sql/cells.ts. */
const plain = {
  text: { type: 'string', decoder: 'text' },
  number: { type: 'number', decoder: 'number' },
  bigint: { type: 'bigint', decoder: 'bigint' },
  boolean: { type: 'boolean', decoder: 'boolean' },
  date: { type: 'Date', decoder: 'date' },
  json: { type: 'unknown', decoder: 'json' },
  'text[]': { type: 'string[]', decoder: 'texts' },
  'number[]': { type: 'number[]', decoder: 'numbers' },
  'number?[]': { type: '(number | null)[]', decoder: 'numbersOrNull' },
}

/** Names of core: `from` is where the type comes from. */
const domain = {
  // Codes, whose names core has.
  AttemptOutcome: coded('AttemptOutcome', 'attemptOutcome', '../sql/run-cells.ts'),
  FinalState: coded('FinalState', 'finalState', '../sql/run-cells.ts'),
  SlotDecision: coded("'run' | 'skip'", 'slotDecision', '../sql/slot-cells.ts', null),
  SlotReason: coded('SlotReason', 'slotReason', '../sql/slot-cells.ts', '@punctual/core/job'),
  // Texts that the statements themselves produce, or that checks of the schema restrict.
  ActorKind: asserted('ActorKind', '@punctual/core/audit', 'text'),
  JobStatus: asserted('JobStatus', '@punctual/core/job', 'text'),
  LiveState: asserted('LiveState', '@punctual/core/run', 'text'),
  MemberState: {
    ...asserted("RunState | 'removed'", '@punctual/core/run', 'text'),
    name: 'RunState',
  },
  RunState: asserted('RunState', '@punctual/core/run', 'text'),
  Scopes: asserted('Scope[]', '@punctual/core/identity', 'texts', 'Scope'),
  StrayKind: asserted("'added' | 'removed'", undefined, 'text'),
  // JSON that this package itself has written or built.
  CalendarInput: asserted('CalendarInput', '@punctual/core/schedule'),
  CallbackCall: asserted(
    '{ handler: string; options: SubmitOptions }',
    '@punctual/core/submit',
    'json',
    'SubmitOptions',
  ),
  ExportedRun: asserted('{ final_state?: number; [column: string]: unknown }'),
  Flow: asserted('Partial<RunFlow>', '@punctual/core/flow', 'json', 'RunFlow'),
  Failure: asserted('Failure', '@punctual/core/errors'),
  Admitted: asserted('AdmittedRun[]', '@punctual/core/run', 'json', 'AdmittedRun'),
  HeldBy: asserted('HeldByJson', './obstacles.ts'),
  Labels: asserted('Readonly<Record<string, string>>'),
  Limits: asserted('LimitJson[]', './obstacles.ts', 'json', 'LimitJson'),
  LiveRuns: asserted(
    '{ id: string; state: LiveState }[]',
    '@punctual/core/run',
    'json',
    'LiveState',
  ),
  MemberCounts: asserted('Partial<GroupCounts>', '@punctual/core/run', 'json', 'GroupCounts'),
  Pauses: asserted('PauseJson[]', './obstacles.ts', 'json', 'PauseJson'),
  SessionState: asserted("'active' | 'draining'", undefined, 'text'),
  StuckHandlers: asserted('StuckHandler[]', '@punctual/core/ports', 'json', 'StuckHandler'),
  Quotas: asserted('Quotas', '@punctual/core/identity'),
  Texts: asserted('string[]'),
  Workers: asserted('WorkerJson[]', './obstacles.ts', 'json', 'WorkerJson'),
}

/** A code, decoded by a function of this module. */
function coded(type, decoder, module, from = '@punctual/core/run') {
  return { type, decoder, module, ...(from && { from, name: type }) }
}

/** A type that the compiler cannot check: the assertion stands in the generated file only. */
function asserted(type, from, decoder = 'json', name = type) {
  return { type, decoder, asserted: true, ...(from && { from, name }) }
}

export const kinds = { ...plain, ...domain }

/** The kinds of columns, by table and column. */
export const columnKinds = {
  'api_keys.scopes': 'Scopes',
  'attempts.error': 'Failure',
  'attempts.outcome': 'AttemptOutcome',
  'counters.state': 'FinalState',
  'audit_log.actor_kind': 'ActorKind',
  'jobs.flow': 'Flow',
  'jobs.labels': 'Labels',
  'outcomes.attempt_outcome': 'AttemptOutcome',
  'outcomes.error': 'Failure',
  'outcomes.state': 'FinalState',
  'past_sessions.labels': 'Labels',
  'runs.flow': 'Flow',
  'runs.labels': 'Labels',
  'slots.decision': 'SlotDecision',
  'slots.reason': 'SlotReason',
  'sessions.labels': 'Labels',
  'sessions.state': 'SessionState',
  'sessions.stuck': 'StuckHandlers',
  'tenants.quotas': 'Quotas',
}

/** 64-bit ids: they exceed what a number can hold. */
const BIG_IDS =
  /^((final_)?session_id|fence|(last_)?gate|(last_)?rate|(next_)?pos|bound|(past_)?sessions\.id)$/

/** The kind of a column by its type. */
export function kindOfType({ type, name, origin }) {
  switch (type) {
    case 'int2':
    case 'int4':
    case 'float4':
    case 'float8':
      return 'number'
    case 'int8':
      return BIG_IDS.test(name) || BIG_IDS.test(origin ?? '') ? 'text' : 'number'
    case 'bool':
      return 'boolean'
    case 'timestamptz':
      return 'date'
    case 'json':
    case 'jsonb':
      return 'json'
    case '_int2':
    case '_int4':
    case '_float8':
    case '_int8':
      return 'number[]'
    case '_uuid':
    case '_text':
      return 'text[]'
    default:
      return 'text'
  }
}

/** The type of a parameter, as sql/typed.ts names it. */
export function parameterType(type) {
  if (type.startsWith('_')) return `List<'${type.slice(1)}'>`
  switch (type) {
    case 'int2':
    case 'int4':
    case 'float4':
    case 'float8':
      return 'Num'
    case 'int8':
    case 'numeric':
    case 'oid':
      return 'Big'
    case 'bool':
      return 'Bool'
    case 'timestamptz':
      return 'Timestamp'
    default:
      return 'Text'
  }
}
