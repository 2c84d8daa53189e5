/** The types that users of the library rely on; checked by `npm run check:types`. */
import {
  type BatchItem,
  type ErrorCode,
  type FinishedRun,
  type HandlerContext,
  type HandlerHandle,
  type LogLine,
  type Punctual,
  type PunctualError,
  type PunctualOptions,
  RetryAfterError,
  type RetryPolicyInput,
  type Run,
  type RunState,
  type RunSummary,
  type SubmitOptions,
  type Submitted,
  type TransactionClient,
} from 'punctual'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

/** Contains statements that are compiled and never run. */
function compiles(_statements: (punctual: Punctual) => unknown): void {}

describe('a handler', () => {
  it('a handler gives its payload type to its handle', () => {
    compiles((punctual) => {
      const handle = punctual.handler('h', async (payload: { to: string }, ctx) => {
        expectTypeOf(payload).toEqualTypeOf<{ to: string }>()
        expectTypeOf(ctx).toEqualTypeOf<HandlerContext>()
        return { messageId: 'x' }
      })
      expectTypeOf(handle).toEqualTypeOf<HandlerHandle<{ to: string }>>()
      expectTypeOf(handle.submit).parameter(0).toEqualTypeOf<{ to: string }>()
      expectTypeOf(handle.submitMany).parameter(0).toEqualTypeOf<readonly { to: string }[]>()
    })
  })

  it('a handle refuses a payload of another type', () => {
    compiles((punctual) => {
      const handle = punctual.handler('h', (payload: { to: string; cc?: string }) => payload.to)
      void handle.submit({ to: 'a' })
      void handle.submit({ to: 'a', cc: 'b' })
      // @ts-expect-error: a number is no address
      void handle.submit({ to: 5 })
      // @ts-expect-error: `to` is missing
      void handle.submit({})
      // @ts-expect-error: `bcc` is not known
      void handle.submit({ to: 'a', bcc: 'b' })
      // @ts-expect-error: the payload is missing
      void handle.submit()
      // @ts-expect-error: one of them is wrong
      void handle.submitMany([{ to: 'a' }, { to: null }])
    })
  })

  it('a batch handler gets items with its payload, and an isolated handler is a module', () => {
    compiles((punctual) => {
      const batch = punctual.handler<{ to: string }>('b', { batchSize: 5 }, (items) => {
        expectTypeOf(items).toEqualTypeOf<readonly BatchItem<{ to: string }>[]>()
        return items.map((item) => item.payload.to)
      })
      expectTypeOf(batch).toEqualTypeOf<HandlerHandle<{ to: string }>>()
      // @ts-expect-error: an outcome for each item is missing
      punctual.handler('b', { batchSize: 5 }, () => 1)
      const module = new URL('file:///a.js')
      const isolated = punctual.handler<{ to: string }>('i', { isolation: 'thread' }, module)
      expectTypeOf(isolated).toEqualTypeOf<HandlerHandle<{ to: string }>>()
      const schema = z.object({ to: z.string() })
      const read = punctual.handler('s', { isolation: 'process', schema }, module)
      expectTypeOf(read).toEqualTypeOf<HandlerHandle<{ to: string }>>()
      // @ts-expect-error: a function cannot be sent to a thread
      punctual.handler('i', { isolation: 'thread' }, () => 1)
      // @ts-expect-error: a module needs a thread or a process
      punctual.handler('i', { isolation: 'inline' }, module)
    })
  })

  it("a handler's handle takes the schema's input, and the handler gets the schema's output", () => {
    compiles((punctual) => {
      const schema = z.object({
        to: z.string(),
        at: z.string().transform((text) => new Date(text)),
      })
      const handle = punctual.handler('h', { schema, onLeaseLoss: 'abort' }, (payload) => {
        expectTypeOf(payload).toEqualTypeOf<{ to: string; at: Date }>()
      })
      expectTypeOf(handle).toEqualTypeOf<HandlerHandle<{ to: string; at: string }>>()
      // @ts-expect-error: it is text until the schema has read it
      void handle.submit({ to: 'a', at: new Date() })
      // @ts-expect-error: the function is missing
      punctual.handler('h', { schema })
    })
  })

  it('a compiled TypeBox type types the submission, and its decoded type the handler', () => {
    compiles((punctual) => {
      const day = Type.Codec(Type.String())
        .Decode((text) => new Date(text))
        .Encode((date) => date.toISOString())
      const schema = Compile(Type.Object({ to: Type.String(), at: day }))
      const handle = punctual.handler('h', { schema }, (payload) => {
        expectTypeOf(payload).toEqualTypeOf<{ to: string; at: Date }>()
      })
      expectTypeOf(handle).toEqualTypeOf<HandlerHandle<{ to: string; at: string }>>()
      // @ts-expect-error: a type has to be compiled
      punctual.handler('h', { schema: Type.String() }, () => 1)
    })
  })

  it('a handler without a payload type takes anything', () => {
    compiles((punctual) => {
      const handle = punctual.handler('h', () => 1)
      expectTypeOf(handle).toEqualTypeOf<HandlerHandle<unknown>>()
      void handle.submit(undefined)
    })
  })

  it('a handler may be synchronous or not, and return anything', () => {
    compiles((punctual) => {
      punctual.handler('a', () => undefined)
      punctual.handler('b', async () => undefined)
      punctual.handler('c', (n: number) => Promise.resolve(n))
      // @ts-expect-error: a handler is a function
      punctual.handler('d', 'nothing')
      // @ts-expect-error: a name is a string
      punctual.handler(5, () => 1)
    })
  })

  it('a handler gets a read-only context with everything that it needs', () => {
    expectTypeOf<HandlerContext['runId']>().toEqualTypeOf<string>()
    expectTypeOf<HandlerContext['attempt']>().toEqualTypeOf<number>()
    expectTypeOf<HandlerContext['idempotencyKey']>().toEqualTypeOf<string>()
    expectTypeOf<HandlerContext['signal']>().toEqualTypeOf<AbortSignal>()
    expectTypeOf<HandlerContext['dueAt']>().toEqualTypeOf<Date>()
    expectTypeOf<HandlerContext['trace']>().toEqualTypeOf<string | null>()
    compiles((punctual) =>
      punctual.handler('h', async (_: null, ctx) => {
        // @ts-expect-error: the handler may not change it
        ctx.attempt = 5
        const written = await ctx.transaction(async (tx) => {
          expectTypeOf(tx).toEqualTypeOf<TransactionClient>()
          return 5
        })
        expectTypeOf(written).toEqualTypeOf<number>()
      }),
    )
  })
})

describe('a submission', () => {
  it('a submission returns an id, and whether the run is new', () => {
    compiles((punctual) => {
      expectTypeOf(punctual.submit('h')).resolves.toEqualTypeOf<Submitted>()
      expectTypeOf(punctual.submitMany('h', [1])).resolves.toEqualTypeOf<readonly Submitted[]>()
    })
    expectTypeOf<Submitted>().toEqualTypeOf<{
      readonly id: string
      readonly created: boolean
      readonly outcome: 'created' | 'existing' | 'replaced'
    }>()
  })

  it('a submission refuses unknown options and values of another type', () => {
    expectTypeOf<SubmitOptions['runAt']>().toEqualTypeOf<Date | string | number | undefined>()
    compiles((punctual) => {
      void punctual.submit('h', 1, { priority: 5, labels: { a: 'b' }, strict: true })
      void punctual.submit('h', 1, {
        key: 'k',
        onConflict: 'debounce',
        window: '5s',
        maxWait: 60_000,
      })
      // @ts-expect-error: no such reaction to a conflict exists
      void punctual.submit('h', 1, { key: 'k', onConflict: 'ignore' })
      // @ts-expect-error: it is misspelt
      void punctual.submit('h', 1, { priorty: 5 })
      // @ts-expect-error: a priority is a number
      void punctual.submit('h', 1, { priority: 'high' })
      // @ts-expect-error: labels are strings
      void punctual.submit('h', 1, { labels: { a: 5 } })
      // @ts-expect-error: a time is a Date, a string or a number
      void punctual.submit('h', 1, { runAt: null })
      // @ts-expect-error: a transaction can run statements
      void punctual.submit('h', 1, { tx: {} })
    })
  })

  it('the function that makes the options gets each payload of a batch', () => {
    compiles((punctual) => {
      const handle = punctual.handler('h', (payload: { id: number }) => payload)
      void handle.submitMany([{ id: 1 }], (payload, index) => {
        expectTypeOf(payload).toEqualTypeOf<{ id: number }>()
        expectTypeOf(index).toEqualTypeOf<number>()
        return { key: `${payload.id}` }
      })
      // @ts-expect-error: a transaction covers the whole batch and cannot depend on a payload
      void handle.submitMany([{ id: 1 }], (): SubmitOptions => ({ tx: { query: () => 1 } }))
    })
  })

  it("a driver's client is accepted as a transaction", () => {
    compiles((punctual) => {
      const client = {
        query: async (_text: string, _values?: unknown[]) => ({ rows: [{ a: 1 }], rowCount: 1 }),
      }
      void punctual.submit('h', 1, { tx: client })
    })
  })

  it('each kind of backoff takes its own settings', () => {
    const policies: RetryPolicyInput[] = [
      {},
      { retryOn: ['failed', 'cancelled'] },
      { backoff: { kind: 'exponential', baseMs: 1, factor: 2, capMs: 3, jitter: 0.5 } },
      { backoff: { kind: 'linear', stepMs: 1 } },
      { backoff: { kind: 'fixed', delayMs: 1 } },
      { backoff: { kind: 'list', delaysMs: [1, 2] } },
      // @ts-expect-error: a list has delays
      { backoff: { kind: 'list' } },
      // @ts-expect-error: a fixed delay has no factor
      { backoff: { kind: 'fixed', factor: 2 } },
      // @ts-expect-error: no such kind exists
      { backoff: { kind: 'quadratic' } },
      { retryOn: ['failed', 'ECONNRESET'], abortOn: ['TypeError'] },
      // @ts-expect-error: codes are strings
      { abortOn: [404] },
    ]
    expectTypeOf(policies).toEqualTypeOf<RetryPolicyInput[]>()
  })
})

describe('a run', () => {
  it('a run has the fields of its state', () => {
    const look = (run: Run) => {
      if (run.state === 'running') {
        expectTypeOf(run.workerId).toEqualTypeOf<string>()
        expectTypeOf(run.progress).toEqualTypeOf<unknown>()
        // @ts-expect-error: it has not finished
        return run.finishedAt
      }
      if (run.state === 'scheduled' || run.state === 'queued' || run.state === 'waiting') {
        expectTypeOf(run.nextAt).toEqualTypeOf<Date>()
        // @ts-expect-error: no worker holds it
        return run.workerId
      }
      if (run.state === 'succeeded' || run.state === 'dead') {
        expectTypeOf(run).toEqualTypeOf<FinishedRun>()
        expectTypeOf(run.finishedAt).toEqualTypeOf<Date>()
      }
      // @ts-expect-error: it may not have finished
      return run.output
    }
    expectTypeOf(look).parameter(0).toEqualTypeOf<Run>()
    expectTypeOf<Run['state']>().toEqualTypeOf<RunState>()
  })

  it('a run is read, awaited and steered by its id or by the result of submit', () => {
    compiles(async (punctual) => {
      const { runs } = punctual
      const submitted = await punctual.submit('h')
      expectTypeOf(runs.get(submitted)).resolves.toEqualTypeOf<Run | null>()
      expectTypeOf(runs.get('id')).resolves.toEqualTypeOf<Run | null>()
      expectTypeOf(runs.waitFor(submitted)).resolves.toEqualTypeOf<FinishedRun>()
      expectTypeOf(runs.logs(submitted)).resolves.toEqualTypeOf<LogLine[]>()
      expectTypeOf(runs.list()).resolves.toEqualTypeOf<RunSummary[]>()
      // @ts-expect-error: no such state exists
      void runs.list({ states: ['bogus'] })
    })
  })

  it('cancelling a run returns its state, and cancelling many the number of each result', () => {
    compiles(async ({ runs }) => {
      const answer = await runs.cancel('id')
      if (answer.result === 'already_finished')
        expectTypeOf(answer.state).toEqualTypeOf<FinishedRun['state']>()
      const { answers } = await runs.cancelMany({ queue: 'q' })
      expectTypeOf(answers.cancelled).toEqualTypeOf<number>()
      // @ts-expect-error: only cancelling has these counts
      void answers.promoted
      // @ts-expect-error: it is misspelt
      void runs.promoteMany({ que: 'q' })
    })
  })
})

describe('the rest', () => {
  it('errors have a code from the catalogue', () => {
    expectTypeOf<PunctualError['code']>().toEqualTypeOf<ErrorCode>()
    expectTypeOf<'invalid_option'>().toExtend<ErrorCode>()
    expectTypeOf<'bogus'>().not.toExtend<ErrorCode>()
    expectTypeOf<PunctualError['field']>().toEqualTypeOf<string | undefined>()
    expectTypeOf(new RetryAfterError(5).retryAfterMs).toEqualTypeOf<number>()
  })

  it('unknown roles and misspelt options are refused', () => {
    const options: PunctualOptions[] = [
      { roles: ['worker', 'reaper'], worker: { queues: ['a'] } },
      { worker: { queues: { a: { concurrency: 5 }, b: {} } } },
      { logger: console },
      // @ts-expect-error: no such role exists
      { roles: ['boss'] },
      // @ts-expect-error: it is misspelt
      { concurency: 5 },
    ]
    expectTypeOf(options).toEqualTypeOf<PunctualOptions[]>()
  })
})
