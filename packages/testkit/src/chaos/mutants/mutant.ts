/**
 * Deliberate bugs that the campaign must notice: a checker that never fails proves nothing. A
 * mutant is data: a text in a built package and its replacement. The product contains no switch for
 * it; the edit is made to a copy.
 */
export interface Edit {
  /** The path from the packages folder; compiled JavaScript or SQL. */
  readonly file: string
  /** Must occur exactly once, so that a mutant fails loudly when its code disappears. */
  readonly find: string
  readonly replace: string
}

export interface Mutant {
  readonly name: string
  /** The property that no longer holds. */
  readonly breaks: string
  readonly edits: readonly Edit[]
  /** The faults that reveal it, and the kind of violation. */
  readonly killedBy: string
}
