/**
 * Counts every HTTP request that this process sends with `fetch`, and how it ended, without touching
 * the client or the worker: both are used as they are. The heartbeats of remote workers are sent by
 * another thread and are not counted.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Window } from './lateness-log.ts'

interface Ended {
  readonly atMs: number
  /** A refusal to serve, an error of the server, or a lost connection. */
  readonly failed: boolean
}

export interface RequestFigures {
  readonly sent: number
  readonly failed: number
  /** The ways in which requests failed, each with its number. */
  readonly failures: Readonly<Record<string, number>>
}

interface Failure {
  readonly atMs: number
  readonly why: string
}

/** The members of a message of undici's channels that are read here. */
interface Sent {
  readonly request: { readonly method: string; readonly path: string }
}

/** The request without its ids. */
function routeOf({ method, path }: Sent['request']): string {
  return `${method} ${path.replace(/\?.*/, '').replace(/\/\d+/g, '/*')}`
}

export class RequestLog {
  readonly #ended: Ended[] = []
  readonly #failures: Failure[] = []

  constructor() {
    subscribe('undici:request:headers', (message) => {
      const { response, request } = message as Sent & { response: { statusCode: number } }
      const failed = response.statusCode === 429 || response.statusCode >= 500
      this.#end(failed ? `${response.statusCode} ${routeOf(request)}` : null)
    })
    subscribe('undici:request:error', (message) => {
      const { error, request } = message as Sent & { error: Error }
      // The caller has ended the request itself, such as a wait of a worker that stops.
      if (error.name !== 'AbortError') this.#end(`${error.name} ${routeOf(request)}`)
    })
  }

  /** A caller gave up, whatever its single requests did. */
  gaveUp(why: string): void {
    this.#end(why)
  }

  #end(why: string | null): void {
    const atMs = Date.now()
    this.#ended.push({ atMs, failed: why !== null })
    if (why !== null) this.#failures.push({ atMs, why })
  }

  within({ fromMs, untilMs }: Window): RequestFigures {
    const isIn = ({ atMs }: { readonly atMs: number }) => atMs >= fromMs && atMs < untilMs
    const ended = this.#ended.filter(isIn)
    const failures: Record<string, number> = {}
    for (const { why } of this.#failures.filter(isIn)) failures[why] = (failures[why] ?? 0) + 1
    return { sent: ended.length, failed: ended.filter(({ failed }) => failed).length, failures }
  }
}
