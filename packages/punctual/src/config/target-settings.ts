/** The settings of what a node performs besides its handlers. */
import { type TargetKindName, targetKindNames } from '@punctual/core/target'
import { listOf, someOf } from './kinds.ts'
import { setting } from './setting.ts'

/** Kinds that run what users send on the machine of the worker, or from it. */
const NEEDS_CONSENT: ReadonlySet<string> = new Set(['shell', 'ssh', 'artifact'])

export const targetSettings = {
  targets: setting<readonly TargetKindName[]>({
    group: 'node',
    flag: '--targets',
    env: 'PUNCTUAL_TARGETS',
    kind: someOf(...targetKindNames),
    default: targetKindNames.filter((kind) => !NEEDS_CONSENT.has(kind)),
    defaultShown: 'all but shell, ssh and artifact',
    help: `kinds of targets whose runs this process performs: ${targetKindNames.join(', ')}`,
  }),
  egressAllow: setting<readonly string[] | null>({
    group: 'node',
    flag: '--egress-allow',
    env: 'PUNCTUAL_EGRESS_ALLOW',
    kind: listOf(
      'hosts, addresses and networks with commas, each with an optional port: localhost:*,10.0.0.0/8, or for one tenant: acme=10.0.0.0/8',
    ),
    default: null,
    defaultShown: 'none; `start` on the embedded database and a loopback address: `localhost:*`',
    help: 'what requests of targets may reach besides public addresses on ports 80, 443, 8080, 8443',
  }),
} as const
