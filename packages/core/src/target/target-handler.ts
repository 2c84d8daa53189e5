/**
 * The handler name of a run that has a target: `@http` for the kind `http`. Workers register what
 * performs such runs under that name, so that lanes, limits, retries and pauses apply unchanged.
 */
import { checkName } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { PunctualError } from '../errors/errors.ts'
import { shown } from '../errors/failure.ts'
import type { Target, TargetKindName } from './target.ts'

/** Names of handlers that begin with this are those of targets. */
const RESERVED = '@'

/** The name under which workers perform targets of this kind. */
export function handlerOfKind(kind: TargetKindName): string {
  return `${RESERVED}${kind}`
}

/** The kind of target that runs of this handler have. */
export function kindOfHandler(handler: string): string {
  return handler.startsWith(RESERVED) ? handler.slice(RESERVED.length) : 'handler'
}

/** Checks the name of a handler as users register and submit to it. */
export function checkHandlerName(field: string, name: unknown): string {
  const checked = checkName(field, name)
  if (checked.startsWith(RESERVED))
    refuseOption(field, 'a name that does not begin with @, which targets reserve', name)
  return checked
}

/** The handler of a run, from the handler and the target that its caller gave. */
export function handlerFor(handler: unknown, target: Target | undefined): string {
  if (target === undefined) return checkHandlerName('handler', handler)
  const own =
    target.kind === 'handler'
      ? checkHandlerName('target.name', target.name)
      : handlerOfKind(target.kind)
  if (handler === undefined || handler === own) return own
  throw new PunctualError(
    'invalid_option',
    `handler and target exclude each other; got the handler ${shown(handler)} and a target of kind ${target.kind}. Give one of them.`,
    { field: 'target' },
  )
}
