/** The note and the name stored when a dead letter or an unknown run is handled. */
import { checkText } from '@punctual/core/check'
import { limits } from '@punctual/core/errors'
import type { HandledBy } from '@punctual/store'

/** Why a run is handled, and by whom. Stored with the run. */
export interface HandlingOptions {
  /** The reason, up to 1,024 characters. */
  note?: string
  /** Name of the person or program, up to 256 characters. */
  by?: string
}

export function handledBy({ note, by }: HandlingOptions): HandledBy {
  return {
    note: note === undefined ? null : checkText('note', note, limits.descriptionLength),
    by: by === undefined ? null : checkText('by', by, limits.createdByLength),
  }
}
