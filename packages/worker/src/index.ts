export {
  type BatchFunction,
  type BatchItem,
  type BatchOutcomes,
  batchHandler,
} from './batch-handler.ts'
export type {
  HandlerContext,
  HandlerFunction,
  HandlerOptions,
  RegisteredHandler,
  RunLog,
  SlotOfRun,
  TransactionClient,
  TransactionRunner,
} from './handler.ts'
export type { HeldRun, RunFate } from './held-run.ts'
export { type IsolatedHandler, isolatedHandler } from './isolation/isolated-handler.ts'
export { OwnLoop } from './own-loop.ts'
export { PunctualServer, type ServerOptions } from './remote/http.ts'
export { createRemoteHeartbeat, type RemoteHeartbeatOptions } from './remote/remote-heartbeat.ts'
export { RemoteHints } from './remote/remote-hints.ts'
export { RemoteWorkStore } from './remote/remote-work-store.ts'
export { Worker } from './worker.ts'
export type { WorkerEvents, WorkerHint, WorkerOptions } from './worker-options.ts'
