export type {
  HandlerContext,
  HandlerFunction,
  HandlerOptions,
  RegisteredHandler,
  RunLog,
  TransactionClient,
  TransactionRunner,
} from './handler.ts'
export { Worker } from './worker.ts'
export type { WorkerEvents, WorkerHint, WorkerOptions } from './worker-options.ts'
