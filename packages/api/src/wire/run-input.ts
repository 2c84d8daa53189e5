/** Requests that submit a run, and the library options that they stand for. */
import { limits } from '@punctual/core/errors'
import { runOptions, type SubmitOptions } from '@punctual/core/submit'
import type { Target } from '@punctual/core/target'
import Type, { type Static } from 'typebox'
import type { Submission } from '../ports/service.ts'
import { delaySchema, otherForms, otherReaders, refuse } from './other-members.ts'
import { type Body, optionReader } from './read-options.ts'
import { membersOf } from './schema-of.ts'
import { anyJson, exactly, text } from './schemas.ts'

type RunBody = Body & { readonly handler?: string; readonly payload?: unknown }

export const newRun = Type.Unsafe<RunBody>(
  exactly({
    handler: Type.Optional(
      text(limits.nameLength, { description: 'The handler that runs it, unless `target` does.' }),
    ),
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
      options = optionsOf(run, this.#createdBy)
      this.#known.set(shape, options)
    }
    return { handler: performerOf(handler, options), payload, options }
  }
}

export function submissionOf(run: Static<typeof newRun>, createdBy: string): Submission {
  const options = optionsOf(run, createdBy)
  return { handler: performerOf(run.handler, options), payload: run.payload, options }
}

/** The library refuses a handler together with a target. */
function performerOf(handler: string | undefined, { target }: SubmitOptions = {}): string | Target {
  const performer = handler ?? target
  if (performer !== undefined) return performer
  return refuse('target', 'A run needs a handler or a target; got neither.')
}

function optionsOf(run: Static<typeof newRun>, createdBy: string): SubmitOptions {
  const options: SubmitOptions = readOptions(run)
  options.createdBy = createdBy
  return options
}
