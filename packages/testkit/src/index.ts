export { eventually, type Gate, gate } from './gate.ts'
export * from './invariants/index.ts'
export { ManualClock } from './manual-clock.ts'
export type { Fate } from './net/fate.ts'
export { TcpProxy } from './net/tcp-proxy.ts'
export * from './postgres/index.ts'
export { dumpSchema, freshSchema } from './schema/dump-schema.ts'
export * from './servers/index.ts'
export { plainRun } from './store/plain-run.ts'
export {
  awaiting,
  dead,
  migratedDatabase,
  retry,
  succeeded,
  systemRandomToken,
  TestStore,
} from './store/test-store.ts'
