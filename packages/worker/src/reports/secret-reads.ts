/** The secrets that one attempt has read, and their removal from stored values. */
import { checkName, encodeJson } from '@punctual/core/check'
import { type Failure, failureFrom, PunctualError } from '@punctual/core/errors'
import type { ClaimedRun } from '@punctual/core/ports'
import { Redactor } from './redactor.ts'

/** Reads a secret of the run's tenant by name. */
export type ReadSecret = (run: ClaimedRun, name: string) => Promise<string>

export class SecretReads {
  readonly #run: ClaimedRun
  readonly #read: ReadSecret | undefined
  #redactor: Redactor | null = null

  constructor(run: ClaimedRun, read: ReadSecret | undefined) {
    this.#run = run
    this.#read = read
  }

  async read(name: string): Promise<string> {
    checkName('secret', name)
    if (!this.#read)
      throw new PunctualError(
        'secrets_key_missing',
        'This worker cannot read secrets. Run the handler in a worker that can.',
        { id: name },
      )
    const value = await this.#read(this.#run, name)
    this.#redactor ??= new Redactor()
    this.#redactor.add(value)
    return value
  }

  readonly text = (text: string): string => this.#redactor?.text(text) ?? text

  readonly json = (json: string): string => this.#redactor?.json(json) ?? json

  failure(failure: Failure): Failure {
    if (!this.#redactor) return failure
    const texts = Object.entries(failure).map(([name, text]) => [name, this.text(String(text))])
    return Object.fromEntries(texts) as Failure
  }

  /** Redacts a value that other code stores. */
  value<T>(value: T): T {
    if (!this.#redactor || value === undefined || value === null) return value
    const json = JSON.stringify(value)
    return json === undefined ? value : JSON.parse(this.json(json))
  }
}

type Reads = SecretReads | undefined

/** The JSON of a value without the secrets that were read. */
export function storedJson(reads: Reads, value: unknown, field: string, maxBytes: number): string {
  const json = encodeJson(value, field, maxBytes)
  return reads?.json(json) ?? json
}

/** The failure record of an error without the secrets that were read. */
export function failureWithout(reads: Reads, thrown: unknown): Failure {
  const failure = failureFrom(thrown)
  return reads?.failure(failure) ?? failure
}
