/** The default target: a handler that a worker has registered. */
import { name } from '../option/kinds.ts'
import type { OptionTable } from '../option/option.ts'
import type { TargetKind } from './target-kind.ts'

/** A handler that a worker has registered. */
export interface HandlerTarget {
  /** Calls a handler. */
  readonly kind: 'handler'
  /** The name of the handler. */
  readonly name: string
}

const members = {
  name: { kind: name, required: true, help: 'the name of the handler', flag: null },
} as const satisfies OptionTable

export const handlerTarget: TargetKind<HandlerTarget, typeof members> = {
  kind: 'handler',
  help: 'calls a handler of a worker',
  members,
}
