export type {
  ConcurrencyOptions,
  FlowKey,
  RateOptions,
  RunConcurrency,
  RunFlow,
  RunRate,
} from './flow.ts'
export type { Lane, LaneKey } from './lane.ts'
export { compileLimits, type LimitOptions, type QueueLimits } from './queue-limits.ts'
