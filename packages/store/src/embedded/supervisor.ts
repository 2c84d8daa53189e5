/**
 * Keeps one server running until it is stopped. A single loop owns the current process: it waits
 * for its end and then either finishes or brings up the next one on the same port. `stop()` and a
 * lost lock only leave a wish and wake the loop.
 *
 * Whatever the reason for finishing, no process of the cluster is left when the lock is released.
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
  /** Aborted when the server shall end; cuts backoff and a start in progress short. */
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
    // Another owner may already be at work on the same files: then every moment counts.
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

  /** Starts again as often as the policy allows, or finishes. */
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

  /** Undefined when the start failed or was cut short. */
  async #startAfter(delayMs: number): Promise<Postmaster | undefined> {
    const { signal } = this.#ending
    try {
      await delay(delayMs, undefined, { signal })
      this.#current = await launch(this.#plan, this.#port, signal)
      // `stop()` may have been called after the last look at the signal.
      if (signal.aborted) await this.#current.shutDown(this.#plan.config.stopDeadlineMs)
      return this.#current
    } catch {
      // The reason is at the end of the log, which the next report carries.
      return undefined
    }
  }

  async #finish(processExit: ProcessExit): Promise<EmbeddedExit> {
    this.#plan.log.unwatchSize()
    // Processes that resist are named by the next start, which has to deal with them.
    await endClusterProcesses(this.#plan.dataDir).catch(() => {})
    await this.#lock.release().catch(() => {})
    return this.#report(processExit, false)
  }

  async #report({ code, signal }: ProcessExit, willRestart: boolean): Promise<EmbeddedExit> {
    const logTail = await this.#plan.log.tail().catch(() => '')
    const exit = { reason: this.#endReason, code, signal, willRestart, logTail }
    // An error in the listener is the listener's, and must not end the supervision.
    queueMicrotask(() => this.#plan.config.onExit(exit))
    return exit
  }
}
