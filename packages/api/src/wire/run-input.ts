/** Requests that submit a run, and the library options that they stand for. */
import { limits } from '@punctual/core/errors'
import { runOptions, type SubmitOptions } from '@punctual/core/submit'
import Type, { type Static } from 'typebox'
import type { Submission } from '../ports/service.ts'
import { delaySchema, otherForms, otherReaders } from './other-members.ts'
import { type Body, optionReader } from './read-options.ts'
import { membersOf } from './schema-of.ts'
import { anyJson, exactly, text } from './schemas.ts'

type RunBody = Body & { readonly handler: string; readonly payload?: unknown }

export const newRun = Type.Unsafe<RunBody>(
  exactly({
    handler: text(limits.nameLength, { description: 'The handler that runs it.' }),
    payload: Type.Optional(anyJson('The payload that the handler gets.')),
    ...membersOf(runOptions, { ...otherForms, delay: delaySchema('Run this long from now') }),
  }),
)

const readOptions = optionReader(runOptions, otherReaders)

/** Reads the runs of one request. Runs with equal options share one object, compiled once. */
export class SubmissionReader {
  readonly #createdBy: string
  readonly #known = new Map<string, Submission['options']>()

  constructor(createdBy: string) {
    this.#createdBy = createdBy
  }

  read(run: Static<typeof newRun>): Submission {
    const { handler, payload, ...others } = run
    const shape = JSON.stringify(others)
    let options = this.#known.get(shape)
    if (options === undefined) {
      options = submissionOf(run, this.#createdBy).options as SubmitOptions
      this.#known.set(shape, options)
    }
    return { handler, payload, options }
  }
}

export function submissionOf(run: Static<typeof newRun>, createdBy: string): Submission {
  const options: SubmitOptions = readOptions(run)
  options.createdBy = createdBy
  return { handler: run.handler, payload: run.payload, options }
}
