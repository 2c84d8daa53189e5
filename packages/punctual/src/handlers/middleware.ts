/**
 * What surrounds every call of a handler in this process: tracing, storage that follows a call, reports of errors. Those
 * that were added first are outermost. Without any, a call costs nothing more.
 */
import { refuseOption } from '@punctual/core/check'
import type { HandlerContext, HandlerFunction } from '@punctual/worker'

/** A call of a handler that is about to be made. */
export interface HandlerCall {
  /** The name of the handler. */
  readonly handler: string
  /** As it was submitted: before the handler's schema has read it. */
  readonly payload: unknown
  /** What the handler is given. */
  readonly context: HandlerContext
}

/** What surrounds every call of a handler: see `punctual.use`. */
export interface Middleware {
  /**
   * Does what is to be done before and after, and returns what `next` gives, or something else: that is the output. What
   * it throws fails the attempt, as if the handler had thrown it. Without calling `next` the handler is not called.
   */
  around(call: HandlerCall, next: () => Promise<unknown>): unknown
}

export function checkMiddleware(middleware: Middleware): Middleware {
  const given: unknown = middleware
  if (typeof (given as Partial<Middleware> | null)?.around !== 'function')
    refuseOption('middleware', 'an object with a function around(call, next)', given)
  return middleware
}

/** Also by what is added to the list after the handler was registered. */
export function surrounded(list: readonly Middleware[], run: HandlerFunction): HandlerFunction {
  return (payload, context) => {
    if (list.length === 0) return run(payload, context)
    const call = { handler: context.handler, payload, context }
    const step = (place: number): unknown => {
      const middleware = list[place]
      if (!middleware) return run(payload, context)
      let called = false
      const next = async () => {
        if (called) throw new Error('next() was called twice: a handler runs once in an attempt.')
        called = true
        return step(place + 1)
      }
      return middleware.around(call, () => {
        const result = next()
        // Whoever does not wait for it does not want to know; nobody's rejection would end the process.
        result.catch(() => undefined)
        return result
      })
    }
    return step(0)
  }
}
