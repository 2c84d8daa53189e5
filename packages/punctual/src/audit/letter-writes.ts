/** Records changes of dead letters and groups. */
import type { DeadLetters } from '../dead-letters/dead-letters.ts'
import type { GroupReference, Groups } from '../groups/groups.ts'
import { idOf, type RunReference } from '../runs/reference.ts'
import { checkCall } from '../submit/submit-call.ts'
import type { WriteScope, WritesOf } from './recorded-methods.ts'

async function deadLetter({ store, tenantId }: WriteScope, reference: RunReference) {
  const id = idOf(reference)
  const [found] = await store.deadLetters.find([id], tenantId as number)
  const name = found ? found.handler : null
  return { kind: 'dead_letter', id, name }
}

const DEAD_LETTERS = { kind: 'dead_letters', id: null, name: null }

export const deadLetterWrites: WritesOf<DeadLetters> = {
  replay: {
    one: async (scope, [reference, options], work) => {
      const target = await deadLetter(scope, reference)
      const answer = await work()
      if (answer.result !== 'replayed') return { result: answer, entries: [] }
      const { payload, fromCheckpoint, by, note } = options ?? {}
      const after = { replayedAs: answer.id, payload, fromCheckpoint, by }
      return { result: answer, entries: [{ action: 'dead_letter.replay', target, after, note }] }
    },
  },
  replayEach: {
    many: ([deadLetters, options]) => {
      const { note, by, fromCheckpoint } = options ?? {}
      return {
        action: 'dead_letter.replay_many',
        target: DEAD_LETTERS,
        request: { ids: deadLetters.map(idOf), fromCheckpoint, by },
        note,
        summarise: (answers) => ({
          requested: deadLetters.length,
          replayed: answers.filter(({ result }) => result === 'replayed').length,
        }),
      }
    },
  },
  replayMany: {
    many: ([filter, options]) => {
      const { dryRun, limit, all, note, by, fromCheckpoint } = options ?? {}
      if (dryRun) return null
      return {
        action: 'dead_letter.replay_many',
        target: DEAD_LETTERS,
        request: { filter, limit, all, fromCheckpoint, by },
        note,
        summarise: ({ runIds: _, ...counts }) => counts,
      }
    },
  },
  discard: {
    one: async (scope, [reference, options], work) => {
      const target = await deadLetter(scope, reference)
      const result = await work()
      const after = { discarded: true, by: options.by }
      const entry = { action: 'dead_letter.discard', target, after, note: options.reason }
      return { result, entries: result === 'discarded' ? [entry] : [] }
    },
  },
  discardMany: {
    many: ([filter, options]) => {
      const { dryRun, limit, all, reason, by } = options
      if (dryRun) return null
      return {
        action: 'dead_letter.discard_many',
        target: DEAD_LETTERS,
        request: { filter, limit, all, by },
        note: reason,
        summarise: (counts) => counts,
      }
    },
  },
}

function group(reference: GroupReference) {
  const id: unknown = typeof reference === 'string' ? reference : reference?.id
  return { kind: 'group', id: String(id), name: null }
}

export const groupWrites: WritesOf<Groups> = {
  close: {
    one: async (_, [reference], work) => {
      const result = await work()
      const states = { before: { open: true }, after: { open: false } }
      const entry = { action: 'group.close', target: group(reference), ...states }
      return { result, entries: result ? [entry] : [] }
    },
    tx: ([, call]) => (call === undefined ? undefined : checkCall(call).tx),
  },
  cancel: {
    many: ([reference, reason]) => ({
      action: 'group.cancel',
      target: group(reference),
      request: null,
      note: reason,
      summarise: (counts) => counts,
    }),
  },
}
