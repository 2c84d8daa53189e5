/** Who asks for a control write: what the audit log says of them. */
import { checkText } from '../check/check-value.ts'
import { oneOf, refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'

/** What kinds of actors there are: a key of the API, a program with the library, a person at a terminal, Punctual itself. */
export const actorKinds = ['api_key', 'library', 'cli', 'system'] as const

/** What an actor is. */
export type ActorKind = (typeof actorKinds)[number]

/** Who asks for a control write, and from where. */
export interface Actor {
  /** What it is: a key of the API, a program with the library, a person at a terminal, or Punctual itself. */
  readonly kind: ActorKind
  /** Its id where it has one, such as that of an API key. */
  readonly id?: string
  /** Its name, for people. */
  readonly name?: string
  /** The address that the request came from. */
  readonly ip?: string
  /** The id of the request. */
  readonly requestId?: string
}

const TEXTS = ['id', 'name', 'ip', 'requestId'] as const

/** The actor itself when it is one. */
export function checkActor(actor: Actor): Actor {
  if (typeof actor !== 'object' || actor === null) refuseOption('actor', 'an object', actor)
  const known: readonly string[] = ['kind', ...TEXTS]
  const unknown = Object.keys(actor).find((name) => !known.includes(name))
  if (unknown !== undefined) refuseOption('actor', `made of ${known.join(', ')}`, unknown)
  oneOf('actor.kind', actorKinds, actor.kind)
  for (const name of TEXTS)
    if (actor[name] !== undefined) checkText(`actor.${name}`, actor[name], limits.createdByLength)
  return actor
}
