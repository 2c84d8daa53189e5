export type {
  HandlerContext,
  HandlerFunction,
  HandlerOptions,
  RegisteredHandler,
  RunLog,
  TransactionClient,
  TransactionRunner,
} from './handler.ts'
export { Worker, type WorkerEvents, type WorkerHint, type WorkerOptions } from './worker.ts'
