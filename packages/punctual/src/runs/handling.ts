/** Why somebody dealt with a dead letter or an unknown run, and who that was; kept with it. */
import { checkText } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { HandledBy } from '@punctual/store'

/** Why somebody deals with a run, and who that is; kept with it. */
export interface HandlingOptions {
  /** Why, up to 1,024 characters. */
  note?: string
  /** Who, up to 256 characters. */
  by?: string
}

export function handledBy({ note, by }: HandlingOptions): HandledBy {
  return {
    note: note === undefined ? null : checkText('note', note, limits.descriptionLength),
    by: by === undefined ? null : checkText('by', by, limits.createdByLength),
  }
}
