/**
 * A real Punctual for tests: real handlers and a real PostgreSQL, on a database of its own that goes with it. It is the
 * object of the library with a few more methods, so that a program under test takes it as it is.
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

/** What `startTestPunctual` takes: the options of Punctual that do not name a database, and some of its own. */
export interface TestPunctualOptions
  extends Omit<PunctualOptions, 'databaseUrl' | 'embedded' | 'dataDir' | 'migrate'> {
  /** `submit` resolves when the run has ended, with the run in its answer. @default false */
  inline?: boolean
  /** How long `drain`, and in inline mode `submit`, may take before it is an error. @default 4000 */
  timeoutMs?: number
  /** Print what handlers throw to stderr; it is kept in `failures` in any case. @default true */
  printErrors?: boolean
  /**
   * A server on which a database is made and removed again.
   * @default process.env.PUNCTUAL_TEST_DATABASE_URL, else one that all tests of this process share
   */
  serverUrl?: string
}

/** What a Punctual of tests has besides. */
export interface TestKit {
  /** As `punctual.submit`; in inline mode it resolves when the run has ended. */
  submit(handler: string, payload?: unknown, options?: SubmitCallOptions): Promise<TestSubmitted>
  /** As `punctual.submitMany`; in inline mode it resolves when the runs have ended. */
  submitMany<Payload>(
    handler: string,
    payloads: readonly Payload[],
    options?: SubmitManyOptions<Payload>,
  ): Promise<readonly TestSubmitted[]>
  /** Resolves when nothing is due and nothing runs; what is due later is not waited for. */
  drain(options?: DrainOptions): Promise<void>
  /** What was submitted with this object since the last `clear`, and is not rolled back, oldest first. */
  submitted(handler: HandlerReference): Promise<readonly TestSubmission[]>
  /** Rejects unless there is such a submission; resolves with the first. */
  assertSubmitted(handler: HandlerReference, match?: SubmissionMatch): Promise<TestSubmission>
  /** Rejects if there is such a submission. */
  assertNotSubmitted(handler: HandlerReference, match?: SubmissionMatch): Promise<void>
  /** What handlers have thrown since the last `clear`, oldest first. */
  readonly failures: readonly TestFailure[]
  /**
   * Cancels what has not ended, and forgets submissions, failures, windows of keys and what was used of rates. Jobs,
   * pauses, limits and handlers stay.
   */
  clear(): Promise<void>
}

/** A Punctual with the methods of the test kit, which come first: their answers say more. */
export type TestPunctual = TestKit & Punctual

const TIMEOUT_MS = 4_000
/** Tests do not wait as long for handlers that hang as production does. */
const DRAIN_MS = 1_000

/**
 * Starts a real Punctual on a database of its own. Call `stop` when the tests are over: it removes the database.
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
  const told = () => failures.describe()
  const drain = new TestDrain(punctual, told)
  const submissions = new TestSubmissions(
    async (id) => (await punctual.runs.get(id)) !== null,
    told,
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
    submitted: (handler) => submissions.of(handler),
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
