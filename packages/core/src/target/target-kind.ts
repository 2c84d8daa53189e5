/** One kind of target: its options as rows of a table, like those of runs and jobs. */
import type { OptionTable } from '../option/option.ts'

/** `Given` is the target as callers write it: the member `kind`, and those of the table. */
export interface TargetKind<
  Given extends { readonly kind: string },
  Members extends OptionTable = OptionTable,
> {
  readonly kind: Given['kind']
  /** What a run with such a target does, in a few words. */
  readonly help: string
  readonly members: Members
  /** Refuses members that do not go together; each alone has been checked. */
  readonly check?: (field: string, target: Given) => void
}
