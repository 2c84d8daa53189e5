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
  TransactionClient,
  TransactionRunner,
} from './handler.ts'
export { type IsolatedHandler, isolatedHandler } from './isolation/isolated-handler.ts'
export { Worker, type WorkerEvents, type WorkerHint, type WorkerOptions } from './worker.ts'
