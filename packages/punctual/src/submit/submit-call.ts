/** The checks of every `submit` and `submitMany` call, before its submissions are made. */
import { PunctualError, reworded } from '@punctual/core/errors'
import type { SubmitOptions } from '@punctual/core/submit'
import type { Queryable } from '@punctual/store'
import type { SubmitCallOptions } from './handler-handle.ts'
import { queryableOf } from './open-transaction.ts'

export interface CheckedCall extends SubmitOptions {
  readonly tx?: Queryable
}

/** Refuses options that are not an object, before any field is read. */
export function checkCall(options: SubmitCallOptions): CheckedCall {
  if (typeof options !== 'object' || options === null)
    throw new PunctualError(
      'invalid_option',
      `The options of submit must be an object; got ${String(options)}.`,
      { field: 'options' },
    )
  const { tx, ...rest } = options
  return tx === undefined ? rest : { ...rest, tx: queryableOf(tx) }
}

/** Names the item of a batch in an error about that item. */
export function at<T>(index: number, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw itemError(index, error)
  }
}

/** Like `at`, for asynchronous work. */
export function atLater<T>(index: number, making: Promise<T>): Promise<T> {
  return making.catch((error: unknown) => {
    throw itemError(index, error)
  })
}

function itemError(index: number, error: unknown): unknown {
  if (!(error instanceof PunctualError)) return error
  return reworded(error, `Item ${index}: ${error.message}`, `[${index}].${error.field ?? ''}`)
}
