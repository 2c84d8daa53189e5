/** The actor of a control write, as the audit log records it. */
import { checkText } from '../check/check-value.ts'
import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'

/**
 * The kinds of actors: an API key, a program that uses the library, a user at a terminal, Punctual
 * itself.
 */
export const actorKinds = ['api_key', 'library', 'cli', 'system'] as const

/** The kind of an actor. */
export type ActorKind = (typeof actorKinds)[number]

/** Who requests a control write, and from where. */
export interface Actor {
  /** An API key, a program that uses the library, a user at a terminal, or Punctual itself. */
  readonly kind: ActorKind
  /** The id of the actor where it has one, such as that of an API key. */
  readonly id?: string
  /** A name for readers of the audit log. */
  readonly name?: string
  /** The IP address of the request. */
  readonly ip?: string
  /** The id of the request. */
  readonly requestId?: string
}

const TEXTS = ['id', 'name', 'ip', 'requestId'] as const

/** Checks an actor and returns it. */
export function checkActor(actor: Actor): Actor {
  if (typeof actor !== 'object' || actor === null) refuseOption('actor', 'an object', actor)
  const known: readonly string[] = ['kind', ...TEXTS]
  const unknown = Object.keys(actor).find((name) => !known.includes(name))
  if (unknown !== undefined)
    refuseOption('actor', `an object with ${known.join(', ')} only`, unknown)
  oneOf('actor.kind', actorKinds, actor.kind)
  for (const name of TEXTS)
    if (actor[name] !== undefined) checkText(`actor.${name}`, actor[name], limits.createdByLength)
  return actor
}
