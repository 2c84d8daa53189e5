/**
 * Middleware wraps every handler call in this process: for tracing, AsyncLocalStorage or error
 * reporting. The one added first is outermost. Without middleware a call has no extra cost.
 */
import { refuseOption } from '@punctual/core/check'
import type { HandlerContext, HandlerFunction } from '@punctual/worker'

/** A handler call that is about to be made. */
export interface HandlerCall {
  /** The name of the handler. */
  readonly handler: string
  /** The payload as submitted, before the handler's schema has read it. */
  readonly payload: unknown
  /** The context that the handler receives. */
  readonly context: HandlerContext
}

/** Wraps every handler call: see `punctual.use`. */
export interface Middleware {
  /**
   * Called instead of the handler. Call `next` to run the handler and return its result, or return
   * another value: the returned value becomes the output. An error fails the attempt as if the
   * handler had thrown it. If you do not call `next`, the handler does not run.
   */
  around(call: HandlerCall, next: () => Promise<unknown>): unknown
}

export function checkMiddleware(middleware: Middleware): Middleware {
  const given: unknown = middleware
  if (typeof (given as Partial<Middleware> | null)?.around !== 'function')
    refuseOption('middleware', 'an object with a function around(call, next)', given)
  return middleware
}

/** Also applies middleware that is added to the list after the handler was registered. */
export function surrounded(list: readonly Middleware[], run: HandlerFunction): HandlerFunction {
  return (payload, context) => {
    if (list.length === 0) return run(payload, context)
    const call = { handler: context.handler, payload, context }
    const step = (index: number): unknown => {
      const middleware = list[index]
      if (!middleware) return run(payload, context)
      let called = false
      const next = async () => {
        if (called) throw new Error('next() was called twice; a handler runs once per attempt.')
        called = true
        return step(index + 1)
      }
      return middleware.around(call, () => {
        const result = next()
        // A middleware may ignore this promise: its rejection must not end the process.
        result.catch(() => undefined)
        return result
      })
    }
    return step(0)
  }
}
