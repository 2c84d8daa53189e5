export type {
  HandlerContext,
  HandlerFunction,
  RegisteredHandler,
  RunLog,
  TransactionClient,
  TransactionRunner,
} from './handler.ts'
export { Worker, type WorkerEvents, type WorkerHint, type WorkerOptions } from './worker.ts'
