/** Both outputs of a command: lines in the log of the run, its result, and what it reported last. */
import type { Call } from '../executor.ts'
import { type Budget, Output, resultOf } from './command-output.ts'
import type { KnownSecrets } from './known-secrets.ts'

const OUTPUT_BYTES = 1_048_576

export class CommandLog {
  readonly #secrets: KnownSecrets
  readonly #stdout: Output
  readonly #stderr: Output

  constructor({ log, heartbeat }: Call, secrets: KnownSecrets, outputBytes = OUTPUT_BYTES) {
    this.#secrets = secrets
    this.push = (from, chunk) => {
      heartbeat()
      if (from === 'stdout') this.#stdout.push(chunk)
      else this.#stderr.push(chunk)
    }
    const budget: Budget = {
      left: outputBytes,
      onFull: () => log.warn('The output has reached its limit; the rest is not logged.'),
    }
    const values = () => secrets.values
    this.#stdout = new Output((line) => log.info(secrets.without(line)), budget, values)
    this.#stderr = new Output((line) => log.warn(secrets.without(line)), budget, values)
  }

  readonly push: (from: 'stdout' | 'stderr', chunk: Buffer) => void

  end(): void {
    this.#stdout.end()
    this.#stderr.end()
  }

  get result(): unknown {
    return resultOf(this.#secrets.without(this.#stdout.tail()))
  }

  get stderr(): string {
    return this.#secrets.without(this.#stderr.tail())
  }
}
