/**
 * The methods that targets call, from their descriptors or from what servers say. What a server says
 * is kept for a while: it changes when the service is deployed.
 */
import type { Clock } from '@punctual/core/clock'
import type { GrpcTarget } from '@punctual/core/target'
import { type Asked, askReflection } from './ask-reflection.ts'
import type { GrpcPackages } from './load-grpc.ts'
import { findMethod, type UnaryMethod } from './unary-method.ts'

const FRESH_MS = 60_000
const KEPT_MAX = 200

interface Kept {
  readonly method: UnaryMethod
  readonly readMs: number
}

type Asking = Omit<Asked, 'packages' | 'service'> & { readonly tenantId: number }

export class Methods {
  readonly #clock: Clock
  readonly #packages: GrpcPackages
  readonly #kept = new Map<string, Kept>()

  constructor(clock: Clock, packages: GrpcPackages) {
    this.#clock = clock
    this.#packages = packages
  }

  /** @throws `PreparationError` when there is no such unary method, or the error of reflection */
  async find(target: GrpcTarget, asking: Asking): Promise<UnaryMethod> {
    const { address, service, method, descriptor } = target
    const key = JSON.stringify([asking.tenantId, address, service, method, descriptor])
    const found = this.#kept.get(key)
    if (found && this.#clock.monotonicMs() - found.readMs < FRESH_MS) return found.method
    const packages = this.#packages
    const set =
      descriptor === undefined
        ? await askReflection({ ...asking, packages, service })
        : Buffer.from(descriptor, 'base64')
    const kept = findMethod(packages.loader, set, target)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(key, { method: kept, readMs: this.#clock.monotonicMs() })
    return kept
  }
}
