/** Where the library gives null, the API has a problem. */
import { PunctualHttpError } from '@punctual/client'

export async function nullWhenMissing<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof PunctualHttpError && error.code.endsWith('_not_found')) return null
    throw error
  }
}
