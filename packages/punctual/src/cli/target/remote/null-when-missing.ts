/** Turns a `…_not_found` error of the API into the null that the library returns. */
import { PunctualHttpError } from '@punctual/client'

export async function nullWhenMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof PunctualHttpError && error.code.endsWith('_not_found')) return null
    throw error
  }
}
