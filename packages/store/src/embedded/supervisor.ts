/**
 * Keeps one server running until it is stopped. A single loop owns the current process: it waits
 * until the process ends, and then either finishes or starts the next one on the same port.
 * `stop()` and a lost lock only record the reason, ask the server to shut down and wake the loop.
 *
 * The lock is released only after every process of the cluster has been ended.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { endClusterProcesses } from './data-directory/cluster-processes.ts'
import type { OwnerLock } from './data-directory/owner-lock.ts'
import { type LaunchPlan, launch, serverUrl } from './launch.ts'
import {
  type EmbeddedExit,
  EmbeddedExitReason,
  type EmbeddedServer,
} from './options/embedded-server.ts'
import type { Postmaster, ProcessExit } from './postmaster.ts'
import { databaseName } from './readiness.ts'
import { RestartPolicy } from './restart-policy.ts'

export interface Supervised {
  readonly plan: LaunchPlan
  readonly port: number
  readonly version: string
  readonly lock: OwnerLock
  readonly postmaster: Postmaster
}

export class Supervisor implements EmbeddedServer {
  readonly url: string
  readonly version: string
  readonly exited: Promise<EmbeddedExit>
  readonly #plan: LaunchPlan
  readonly #port: number
  readonly #lock: OwnerLock
  readonly #policy = new RestartPolicy()
  /** Aborted when the server must end; interrupts the backoff and a start in progress. */
  readonly #ending = new AbortController()
  #endReason: EmbeddedExitReason = EmbeddedExitReason.Crashed
  #current: Postmaster | undefined

  constructor({ plan, port, version, lock, postmaster }: Supervised) {
    this.#plan = plan
    this.#port = port
    this.#lock = lock
    this.version = version
    this.url = serverUrl(plan.password, port, databaseName)
    this.#current = postmaster
    plan.log.watchSize()
    this.exited = this.#supervise(postmaster)
    lock.lost.then(() => this.#end(EmbeddedExitReason.LockLost)).catch(() => {})
  }

  get pid(): number | undefined {
    return this.#current?.pid
  }

  async stop(): Promise<void> {
    this.#end(EmbeddedExitReason.Stopped)
    await this.exited
  }

  #end(reason: EmbeddedExitReason): void {
    if (this.#ending.signal.aborted) return
    this.#endReason = reason
    this.#ending.abort()
    // Another owner may already be using the same files: shut down at once.
    const isUrgent = reason === EmbeddedExitReason.LockLost
    const shutdown = isUrgent
      ? this.#current?.shutDownNow()
      : this.#current?.shutDown(this.#plan.config.stopDeadlineMs)
    shutdown?.catch(() => {})
  }

  async #supervise(first: Postmaster): Promise<EmbeddedExit> {
    let postmaster = first
    for (;;) {
      const startedAt = performance.now()
      const processExit = await postmaster.exited
      this.#current = undefined
      const next = await this.#comeBack(processExit, performance.now() - startedAt)
      if ('reason' in next) return next
      postmaster = next
    }
  }

  /** Restarts as often as the policy allows, or finishes. */
  async #comeBack(processExit: ProcessExit, uptimeMs: number): Promise<Postmaster | EmbeddedExit> {
    let lastUptimeMs = uptimeMs
    for (;;) {
      const delayMs = this.#shallRestart ? this.#policy.nextDelayMs(lastUptimeMs) : undefined
      if (delayMs === undefined) return this.#finish(processExit)
      await this.#report(processExit, true)
      const postmaster = await this.#startAfter(delayMs)
      if (postmaster) return postmaster
      lastUptimeMs = 0
    }
  }

  get #shallRestart(): boolean {
    return this.#plan.config.restart && !this.#ending.signal.aborted
  }

  /** Returns undefined when the start failed or was interrupted. */
  async #startAfter(delayMs: number): Promise<Postmaster | undefined> {
    const { signal } = this.#ending
    try {
      await delay(delayMs, undefined, { signal })
      this.#current = await launch(this.#plan, this.#port, signal)
      // `stop()` may have been called after the signal was last checked.
      if (signal.aborted) await this.#current.shutDown(this.#plan.config.stopDeadlineMs)
      return this.#current
    } catch {
      // The reason is at the end of the log, and so in the next report.
      return undefined
    }
  }

  async #finish(processExit: ProcessExit): Promise<EmbeddedExit> {
    this.#plan.log.unwatchSize()
    // The next start reports the processes that cannot be ended, and retries.
    await endClusterProcesses(this.#plan.dataDir).catch(() => {})
    await this.#lock.release().catch(() => {})
    return this.#report(processExit, false)
  }

  async #report({ code, signal }: ProcessExit, willRestart: boolean): Promise<EmbeddedExit> {
    const logTail = await this.#plan.log.tail().catch(() => '')
    const exit = { reason: this.#endReason, code, signal, willRestart, logTail }
    // An error in the listener must not end the supervision.
    queueMicrotask(() => this.#plan.config.onExit(exit))
    return exit
  }
}
