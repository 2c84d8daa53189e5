/** Planner settings that allow only index access. */
export const PINS = [
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'enable_material = off',
  'jit = off',
]
export const BEGIN = 'begin isolation level read committed'
export const PIN_SESSION = [...PINS, "default_transaction_isolation = 'read committed'"]
  .map((pin) => `set ${pin}`)
  .join('; ')
export const LOCAL_PINS = PINS.map((pin) => `set local ${pin}`).join('; ')
export const PINNED = [BEGIN, LOCAL_PINS].join('; ')
