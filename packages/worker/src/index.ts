export { EgressPolicy } from './executors/egress/egress-policy.ts'
export { type Resolve, systemResolve } from './executors/egress/guarded-lookup.ts'
export type {
  Call,
  Execution,
  ExecutionOutcome,
  Executor,
  Reached,
} from './executors/executor.ts'
export type { ExecutorServices } from './executors/executor-services.ts'
export type { Awaiting, AwaitOptions, Callback } from './handler/awaiting.ts'
export {
  type BatchFunction,
  type BatchItem,
  type BatchOutcomes,
  batchHandler,
} from './handler/batch-handler.ts'
export type {
  HandlerContext,
  HandlerFunction,
  HandlerOptions,
  RegisteredHandler,
  RunLog,
  SlotOfRun,
  TransactionClient,
  TransactionRunner,
} from './handler/handler.ts'
export { type IsolatedHandler, isolatedHandler } from './isolation/isolated-handler.ts'
export { ManualClaimer } from './manual-claimer.ts'
export type { WorkerEvents, WorkerHint, WorkerOptions } from './options/worker-options.ts'
export { PunctualServer, type ServerOptions } from './remote/http.ts'
export { createRemoteHeartbeat, type RemoteHeartbeatOptions } from './remote/remote-heartbeat.ts'
export { RemoteHints } from './remote/remote-hints.ts'
export { RemoteWorkStore } from './remote/remote-work-store.ts'
export type { HeldRun, RunFate } from './run/held-run.ts'
export { executorHandler } from './targets/executor-handler.ts'
export { makeExecutor, performedKinds } from './targets/executors.ts'
export { Worker } from './worker.ts'
