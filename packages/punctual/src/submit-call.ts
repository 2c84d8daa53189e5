/** What every call of `submit` and `submitMany` goes through before its submissions are made. */
import { PunctualError } from '@punctual/core'
import type { SubmitCallOptions } from './handler-handle.ts'

/** Refuses options that are none, before anything is read from them. */
export function checkCall(options: SubmitCallOptions): SubmitCallOptions {
  if (typeof options !== 'object' || options === null)
    throw new PunctualError(
      'invalid_option',
      `The options of submit must be an object, but ${String(options)} came.`,
      { field: 'options' },
    )
  if (options.tx !== undefined && typeof options.tx?.query !== 'function')
    throw new PunctualError(
      'invalid_option',
      'tx must be a client of pg with an open transaction: it needs a query method.',
      { field: 'tx' },
    )
  return options
}

/** Names the item of a batch in the error of one. */
export function at<T>(index: number, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw ofItem(index, error)
  }
}

/** The same for what has to be waited for. */
export function atLater<T>(index: number, making: Promise<T>): Promise<T> {
  return making.catch((error: unknown) => {
    throw ofItem(index, error)
  })
}

function ofItem(index: number, error: unknown): unknown {
  if (!(error instanceof PunctualError)) return error
  return new PunctualError(error.code, `Item ${index}: ${error.message}`, {
    field: `[${index}].${error.field ?? ''}`,
    cause: error,
  })
}
