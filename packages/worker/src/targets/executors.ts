/** The executors of this package, by kind: one line each. */
import { PunctualError } from '@punctual/core/errors'
import type { Target, TargetKindName } from '@punctual/core/target'
import type { Executor } from '../executors/executor.ts'
import type { ExecutorServices } from '../executors/executor-services.ts'
import { GrpcExecutor } from '../executors/grpc/grpc-executor.ts'
import { HttpExecutor } from '../executors/http/http-executor.ts'
import { openShellExecutor } from '../executors/shell/shell-executor.ts'
import { SshExecutor } from '../executors/ssh/ssh-executor.ts'

type Make<Kind extends TargetKindName> = (
  services: ExecutorServices,
) => Executor<Extract<Target, { readonly kind: Kind }>>

const makers: { readonly [Kind in TargetKindName]?: Make<Kind> } = {
  http: (services) => new HttpExecutor(services),
  shell: openShellExecutor,
  ssh: (services) => new SshExecutor(services),
  grpc: (services) => new GrpcExecutor(services),
}

/** The kinds of targets that a worker can perform: handlers, and those with an executor. */
export const performedKinds: readonly TargetKindName[] = [
  'handler',
  ...(Object.keys(makers) as TargetKindName[]),
]

/** Makes the executor of a kind. @throws `PunctualError` with `invalid_config` */
export function makeExecutor(kind: TargetKindName, services: ExecutorServices): Executor {
  const make = makers[kind]
  if (make) return make(services) as unknown as Executor
  throw new PunctualError(
    'invalid_config',
    `targets must be a list of ${performedKinds.join(', ')}; got ${JSON.stringify(kind)}.`,
    { field: 'targets' },
  )
}
