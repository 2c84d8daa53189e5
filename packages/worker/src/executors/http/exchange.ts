/**
 * One request and its response on a connection. It reports how far it came: nothing was sent, it is
 * unknown what the target received, or the target has answered with a complete status line.
 */
import type { Clock } from '@punctual/core/clock'
import type { Dispatcher } from 'undici'
import type { Reached } from '../executor.ts'
import type { HttpRequest } from './request.ts'
import { type CollectedBody, ResponseBody } from './response-body.ts'

export interface ExchangeLimits {
  /** 0: as long as the signal allows. */
  readonly headersTimeoutMs: number
  readonly idleTimeoutMs: number
  /** Null: as long as the signal allows. */
  readonly totalTimeoutMs: number | null
  readonly responseBytes: number
  readonly decompress: boolean
}

export type Exchanged =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
      readonly body: CollectedBody
    }
  | { readonly kind: 'broken'; readonly error: Error; readonly reached: Reached }

interface Parts {
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly limits: ExchangeLimits
  readonly signal: AbortSignal
}

export function exchange(request: HttpRequest, parts: Parts): Promise<Exchanged> {
  return new Promise((resolve) => {
    const one = new Exchange(parts, resolve)
    one.start(request)
  })
}

type Answered = Extract<Exchanged, { readonly kind: 'answered' }>

class Exchange implements Dispatcher.DispatchHandler {
  readonly #parts: Parts
  readonly #resolve: (end: Exchanged) => void
  readonly #stopTimer: () => void
  readonly #onAbort = () => this.#stop(this.#parts.signal.reason)
  #controller: Dispatcher.DispatchController | null = null
  #answer: Pick<Answered, 'status' | 'headers'> | null = null
  #body: ResponseBody | null = null
  #ended = false

  constructor(parts: Parts, resolve: (end: Exchanged) => void) {
    this.#parts = parts
    this.#resolve = resolve
    const { clock, limits, signal } = parts
    const { totalTimeoutMs } = limits
    this.#stopTimer =
      totalTimeoutMs === null
        ? () => undefined
        : clock.after(totalTimeoutMs, () =>
            this.#stop(new TotalTimeout(`The request took longer than ${totalTimeoutMs} ms.`)),
          )
    signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  start({ method, url, headers, body }: HttpRequest): void {
    const { dispatcher, limits, signal } = this.#parts
    if (signal.aborted) {
      this.#onAbort()
      return
    }
    try {
      dispatcher.dispatch(
        {
          ...{ origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body },
          // A request whose connection broke is not sent again here: only the run is retried.
          idempotent: false,
          headersTimeout: limits.headersTimeoutMs,
          bodyTimeout: limits.idleTimeoutMs,
        },
        this,
      )
    } catch (error) {
      this.#break(asError(error))
    }
  }

  /** The connection is open, and the next byte is the first of the request. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#ended) controller.abort(new Error('The request was given up.'))
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Answered['headers'],
  ): void {
    // 1xx only announces the answer.
    if (status < 200) return
    this.#answer = { status, headers }
    const { responseBytes, decompress } = this.#parts.limits
    const encoding = headers['content-encoding']
    const decoded = decompress && typeof encoding === 'string' ? encoding : null
    this.#body = new ResponseBody(responseBytes, decoded)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.write(chunk)
    if (!this.#body?.full) return
    this.#finish()
    controller.abort(new Error('The rest of the response is not read.'))
  }

  onResponseEnd(): void {
    this.#finish()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#break(error)
  }

  /** The time of the request is over, or the run must stop. */
  #stop(reason: unknown): void {
    const error = asError(reason)
    this.#break(error)
    this.#controller?.abort(error)
  }

  /** A complete status line is the answer, whatever becomes of the body. */
  #break(error: Error): void {
    this.#body?.cut()
    if (this.#answer) this.#finish()
    else this.#end({ kind: 'broken', error, reached: this.#controller === null ? 'no' : 'perhaps' })
  }

  #finish(): void {
    const [answer, body] = [this.#answer, this.#body]
    if (this.#ended || answer === null || body === null) return
    this.#leave()
    void body.collect().then((collected) => {
      this.#resolve({ kind: 'answered', ...answer, body: collected })
    })
  }

  #end(end: Exchanged): void {
    if (this.#ended) return
    this.#leave()
    this.#resolve(end)
  }

  #leave(): void {
    this.#ended = true
    this.#stopTimer()
    this.#parts.signal.removeEventListener('abort', this.#onAbort)
  }
}

/** The whole request took too long. */
class TotalTimeout extends Error {
  readonly code = 'total_timeout'
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
