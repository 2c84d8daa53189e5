/**
 * What performs a run: by default a handler of a worker, else a request, a program or a message
 * that a worker sends. A kind of target is one file with its options, one line in `targetKinds`
 * and its name in `Target`; checks, schemas, flags and docs are derived from the options.
 */
import { encodeJson } from '../check/json-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { checkedBy } from '../option/kinds.ts'
import type { Kind, OptionTable } from '../option/option.ts'
import { type GrpcTarget, grpcTarget } from './grpc-target.ts'
import { type HandlerTarget, handlerTarget } from './handler-target.ts'
import { type HttpTarget, httpTarget } from './http-target.ts'
import { type ShellTarget, shellTarget } from './shell-target.ts'
import { type SshTarget, sshTarget } from './ssh-target.ts'
import type { TargetKind } from './target-kind.ts'

/** Every kind of target, in the order in which the documentation lists them. */
export const targetKinds = {
  handler: handlerTarget,
  http: httpTarget,
  shell: shellTarget,
  ssh: sshTarget,
  grpc: grpcTarget,
} as const satisfies { readonly [Kind in Target['kind']]: { readonly kind: Kind } }

/** What performs a run. `{ kind: 'handler', name }` calls a handler, which is the default. */
export type Target = HandlerTarget | HttpTarget | ShellTarget | SshTarget | GrpcTarget

/** The name of a kind of target. */
export type TargetKindName = Target['kind']

export const targetKindNames = Object.keys(targetKinds) as readonly TargetKindName[]

const known: ReadonlyMap<unknown, TargetKind<Target>> = new Map(
  Object.entries(targetKinds as unknown as Readonly<Record<string, TargetKind<Target>>>),
)

/** Checks a target as a caller wrote it, and returns it without members that are undefined. */
export function checkTarget(field: string, value: unknown): Target {
  if (Object.prototype.toString.call(value) !== '[object Object]')
    refuseOption(field, 'an object such as { kind: "http", url: "https://…" }', value)
  const { kind, ...given } = value as { readonly kind?: unknown }
  const target = known.get(kind)
  if (target === undefined) return refuseOption(`${field}.kind`, targetKindNames.join(', '), kind)
  const checked = { kind, ...checkMembers(field, target, given) } as Target
  target.check?.(field, checked)
  encodeJson(checked, field, limits.targetBytes)
  return checked
}

function checkMembers(field: string, { kind, members }: TargetKind<Target>, given: object): object {
  const checked: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(members, name))
      refuseOption(
        field,
        `a target of kind ${kind} with ${Object.keys(members).join(', ')} only`,
        name,
      )
    if (value !== undefined) checked[name] = members[name]?.kind.check(`${field}.${name}`, value)
  }
  for (const [name, { required, help }] of Object.entries(members))
    if (required && checked[name] === undefined)
      refuseOption(`${field}.${name}`, `given: ${help}`, undefined)
  return checked
}

const variants: Readonly<Record<string, OptionTable>> = Object.fromEntries(
  Object.entries(targetKinds).map(([kind, { members }]) => [kind, members]),
)

/** The option `target` of runs and jobs. */
export const targetOption: Kind<Target> = checkedBy({ type: 'variants', variants }, checkTarget)
