/** POST /worker-sessions/:id/checkpoint: stores the state of a run for its next attempt. */
import { encodeJson } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import { Type } from 'typebox'
import { answer } from '../../wire/schemas.ts'
import { body, fenceFields, workerRoute } from '../define-route.ts'

export const saveCheckpoint = workerRoute({
  method: 'POST',
  path: '/checkpoint',
  summary: 'Stores a checkpoint',
  body: body({ ...fenceFields, state: Type.Optional(Type.Unknown()) }),
  answer: answer({ kept: Type.Boolean() }),
  problems: ['lease_lost'],
  async handle({ sessions, session, body: { state = null, ...run } }) {
    const text = encodeJson(state, 'state', limits.checkpointBytes)
    await sessions.checkpoint(session, run, text)
    return { kept: true }
  },
})
