export type {
  HandlerContext,
  HandlerFunction,
  HandlerOptions,
  RegisteredHandler,
  RunLog,
  TransactionClient,
  TransactionRunner,
} from './handler.ts'
export type { HeldRun, RunFate } from './held-run.ts'
export { OwnLoop } from './own-loop.ts'
export { Worker } from './worker.ts'
export type { WorkerEvents, WorkerHint, WorkerOptions } from './worker-options.ts'
