export * from './ledger/memory-audit-store.ts'
export { MemoryClient, MemoryStore, type MemoryStoreSettings } from './memory-store.ts'
export { MemoryPlanStore } from './plan/memory-plan-store.ts'
export {
  advanceCursors,
  definitionOf,
  dueJobOf,
  insertJob,
  insertSlots,
  timingOf,
} from './plan/plan.ts'
export { internLane } from './submit/insert-runs.ts'
export { type Hints, type Line, type MemoryStoreOptions, noHints } from './tables/line.ts'
export { MemoryDatabase, type StoreMutant } from './tables/memory-database.ts'
export * from './tables/rows.ts'
export type { Change } from './tables/table.ts'
export { MemoryUpkeepStore } from './upkeep/memory-upkeep-store.ts'
export { MemoryAwaitingRuns } from './work/awaiting.ts'
export { MemoryWorkStore } from './work/memory-work-store.ts'
export { findSettled, NO_SESSION, settle } from './work/settle.ts'
