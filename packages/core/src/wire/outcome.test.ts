import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ClaimedRun } from '../ports/work.ts'
import { writeOutcome } from './outcome.ts'

it('writeOutcome writes a success like JSON.stringify, for any output', () => {
  const milliseconds = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }))
  fc.assert(
    fc.property(
      ...([
        fc.uuid(),
        fc.bigInt(1n, 2n ** 63n - 1n),
        milliseconds,
        fc.option(fc.jsonValue()),
      ] as const),
      (id, fence, startedAgoMs, value) => {
        const run = { id, fence } as ClaimedRun
        const output = value === null ? null : JSON.stringify(value)
        const text = writeOutcome({ kind: 'succeeded', run, startedAgoMs, output })
        const members = { started_ms_ago: startedAgoMs, outcome: 'succeeded' }
        const written = { run_id: id, fence: String(fence), ...members }
        expect(text).toBe(JSON.stringify(value === null ? written : { ...written, output: value }))
      },
    ),
  )
})
