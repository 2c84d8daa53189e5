/**
 * A real Punctual for tests: real handlers on a real PostgreSQL, in a scratch database that `stop`
 * removes. It is a `Punctual` with additional methods, so that a program under test can use it
 * unchanged.
 */
import { instantOf } from '@punctual/core/check'
import { createScratchDatabase } from '@punctual/store'
import type { PunctualOptions } from '../config/options.ts'
import { Punctual } from '../punctual.ts'
import type { SubmitCallOptions, SubmitManyOptions } from '../submit/handler-handle.ts'
import { type DrainOptions, TestDrain } from './test-drain.ts'
import { type TestFailure, TestFailures } from './test-failures.ts'
import { borrowServer, SERVER_VARIABLE } from './test-server.ts'
import {
  type HandlerReference,
  type SubmissionMatch,
  type TestSubmission,
  TestSubmissions,
} from './test-submissions.ts'
import { TestSubmit, type TestSubmitted } from './test-submit.ts'

/**
 * Options of `startTestPunctual`: those of `Punctual.start` that do not name a database, and some
 * for tests.
 */
export interface TestPunctualOptions
  extends Omit<PunctualOptions, 'databaseUrl' | 'embedded' | 'dataDir' | 'migrate'> {
  /** True: `submit` resolves when the run has ended, and returns the run. @default false */
  inline?: boolean
  /**
   * How long `drain` and, in inline mode, `submit` may take before they reject, in ms. @default
   * 4000
   */
  timeoutMs?: number
  /** Prints errors of handlers to stderr. `failures` contains them in any case. @default true */
  printErrors?: boolean
  /**
   * URL of a server on which the scratch database is created and removed.
   * @default process.env.PUNCTUAL_TEST_DATABASE_URL, else a server that all tests of this process
   * share
   */
  serverUrl?: string
}

/** The methods that a `TestPunctual` has in addition to `Punctual`. */
export interface TestKit {
  /** Like `punctual.submit`; in inline mode it resolves when the run has ended. */
  submit(handler: string, payload?: unknown, options?: SubmitCallOptions): Promise<TestSubmitted>
  /** Like `punctual.submitMany`; in inline mode it resolves when all runs have ended. */
  submitMany<Payload>(
    handler: string,
    payloads: readonly Payload[],
    options?: SubmitManyOptions<Payload>,
  ): Promise<readonly TestSubmitted[]>
  /** Resolves when no run is due or running; does not wait for runs that are due later. */
  drain(options?: DrainOptions): Promise<void>
  /**
   * The submissions made through this object since the last `clear`, oldest first, without
   * rolled-back ones.
   */
  submitted(handler: HandlerReference): Promise<readonly TestSubmission[]>
  /** Rejects unless a submission matches; resolves with the first match. */
  assertSubmitted(handler: HandlerReference, match?: SubmissionMatch): Promise<TestSubmission>
  /** Rejects if a submission matches. */
  assertNotSubmitted(handler: HandlerReference, match?: SubmissionMatch): Promise<void>
  /** The errors that handlers threw since the last `clear`, oldest first. */
  readonly failures: readonly TestFailure[]
  /**
   * Cancels all live runs, and clears submissions, failures, throttle and debounce windows, and the
   * use of rates. Jobs, pauses, limits and handlers stay.
   */
  clear(): Promise<void>
}

/**
 * A `Punctual` with the methods of the test kit, which override those of the same name and return
 * more.
 */
export type TestPunctual = TestKit & Punctual

const TIMEOUT_MS = 4_000
/** Shorter than in production, so that a test with a hanging handler ends soon. */
const DRAIN_MS = 1_000

/**
 * Starts a real Punctual on a scratch database. Call `stop` after the tests: it removes the
 * database.
 * @example
 * ```ts
 * import { startTestPunctual } from 'punctual/testing'
 *
 * const testing = await startTestPunctual({ inline: true })
 * testing.handler('greet', async (payload: { name: string }) => `Hello ${payload.name}`)
 * const { run } = await testing.submit('greet', { name: 'Ada' })
 * console.log(run?.output) // 'Hello Ada'
 * await testing.assertSubmitted('greet', { payload: { name: 'Ada' } })
 * await testing.stop()
 * ```
 */
export async function startTestPunctual(options: TestPunctualOptions = {}): Promise<TestPunctual> {
  const { inline = false, timeoutMs = TIMEOUT_MS, printErrors = true, serverUrl, ...rest } = options
  const given = serverUrl ?? process.env[SERVER_VARIABLE]
  const server = given ? { url: given, stop: async () => undefined } : await borrowServer()
  let drop: () => Promise<void> = async () => undefined
  const remove = () => drop().finally(server.stop)
  try {
    const database = await createScratchDatabase(server.url)
    drop = database.drop
    const punctual = await Punctual.start({ drainMs: DRAIN_MS, ...rest, databaseUrl: database.url })
    const kit = makeKit(punctual, { inline, timeoutMs, printErrors, remove })
    Object.defineProperties(punctual, Object.getOwnPropertyDescriptors(kit))
    return punctual as TestPunctual
  } catch (error) {
    await remove()
    throw error
  }
}

interface KitSettings {
  readonly inline: boolean
  readonly timeoutMs: number
  readonly printErrors: boolean
  remove(): Promise<void>
}

function makeKit(punctual: Punctual, settings: KitSettings): TestKit & Pick<Punctual, 'stop'> {
  const { inline, timeoutMs: usualMs, printErrors, remove } = settings
  const failures = new TestFailures(printErrors)
  punctual.use(failures)
  const describeFailures = () => failures.describe()
  const drain = new TestDrain(punctual, describeFailures)
  const submissions = new TestSubmissions(
    async (id) => (await punctual.runs.get(id)) !== null,
    describeFailures,
  )
  const parts = { punctual, submissions, drain, inline, timeoutMs: usualMs }
  const submitting = new TestSubmit(parts)
  const stop = punctual.stop.bind(punctual)
  let stopping: Promise<void> | undefined
  return {
    submit: (handler, payload, options) => submitting.submit(handler, payload, options),
    submitMany: (handler, payloads, options) => submitting.submitMany(handler, payloads, options),
    drain: ({ timeoutMs = usualMs, until } = {}) =>
      drain.drain(timeoutMs, until === undefined ? null : instantOf('until', until)),
    submitted: (handler) => submissions.list(handler),
    assertSubmitted: (handler, match = {}) => submissions.assertSubmitted(handler, match),
    assertNotSubmitted: (handler, match = {}) => submissions.assertNotSubmitted(handler, match),
    get failures() {
      return failures.all
    },
    async clear() {
      await punctual.runs.cancelMany({}, { all: true, reason: 'cleared by a test' })
      await drain.drain(usualMs, null)
      await punctual.store.upkeep.forgetUses()
      submissions.clear()
      failures.clear()
    },
    stop(how) {
      stopping ??= stop(how).finally(remove)
      return stopping
    },
  }
}
