export { marksStart, readRun, type WireRun, writeRun } from './claimed-run.ts'
export {
  readOutcome,
  readSuccess,
  type WireError,
  type WireOutcome,
  wireOutcomes,
  writeOutcome,
} from './outcome.ts'
