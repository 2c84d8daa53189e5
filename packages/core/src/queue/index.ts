export type { Ends, RecentEnds, Report, ReportRow } from './ends.ts'
export type { LimitInForce } from './limit-in-force.ts'
export type { LaneDepth, Pause, Queue } from './queue.ts'
export type { WorkerLoss, WorkerProcess, WorkerState } from './worker-process.ts'
