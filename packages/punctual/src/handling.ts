/** Why somebody dealt with a dead letter or an unknown run, and who that was; kept with it. */
import { checkText, limits } from '@punctual/core'
import type { HandledBy } from '@punctual/store'

export interface HandlingOptions {
  note?: string
  by?: string
}

export function handledBy({ note, by }: HandlingOptions): HandledBy {
  return {
    note: note === undefined ? null : checkText('note', note, limits.descriptionLength),
    by: by === undefined ? null : checkText('by', by, limits.createdByLength),
  }
}
