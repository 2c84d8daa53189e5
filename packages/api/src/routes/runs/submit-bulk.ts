/** POST /runs/bulk: up to 10,000 runs, one per line; all or none, or a result for each. */
import { limits } from '@punctual/core/errors'
import Type from 'typebox'
import {
  bulkAnswer,
  bulkQuery,
  inPieces,
  packBulk,
  performBulk,
  someRefused,
  unpackBulk,
} from '../../http/bulk.ts'
import { defineRoute } from '../../http/define-route.ts'
import { readerOf } from '../../http/validator.ts'
import { atPlace, inWireNames } from '../../wire/in-wire-names.ts'
import { newRun, SubmissionReader } from '../../wire/run-input.ts'

const read = readerOf(newRun, 'line')

export const submitRuns = defineRoute({
  method: 'POST',
  path: '/runs/bulk',
  scope: 'submit',
  tag: 'Runs',
  summary: 'Submits up to 10,000 runs, one per line',
  description: `NDJSON: each line is a body of POST /runs; up to ${limits.batchSize} lines.`,
  query: bulkQuery,
  body: Type.String(),
  reads: 'ndjson',
  answer: bulkAnswer,
  others: someRefused,
  status: 201,
  writes: 'keyed',
  inPieces,
  problems: ['invalid_request', 'key_conflict', 'quota_exceeded'],
  keep: packBulk,
  replay: unpackBulk,
  handle({ tenant, body, caller, reply, pieces }) {
    return performBulk({
      ...{ reply, body, read, pieces },
      write: (runs) =>
        inWireNames(runs, async () => {
          const reader = new SubmissionReader(caller.keyName)
          return tenant.submitAll(runs.map((run, i) => atPlace(i, () => reader.read(run))))
        }),
    })
  },
})
