/**
 * Starts one server on a prepared cluster: ends the processes of an earlier server, spawns the new
 * one and waits until it answers. On failure it leaves no process behind and throws
 * EMBEDDED_PORT_IN_USE, or EMBEDDED_START_FAILED with the last lines of the log.
 */

import type { Toolchain } from './binaries/toolchain.ts'
import { endClusterProcesses } from './data-directory/cluster-processes.ts'
import type { DataDir } from './data-directory/data-dir.ts'
import { EmbeddedError, EmbeddedErrorCode } from './data-directory/embedded-error.ts'
import { portInUse } from './data-directory/port.ts'
import type { ServerLog } from './data-directory/server-log.ts'
import type { EmbeddedConfig } from './options/embedded-options.ts'
import { serverSettings, settingArguments } from './options/settings.ts'
import { roleName } from './password.ts'
import { Postmaster } from './postmaster.ts'
import { waitUntilReady } from './readiness.ts'

export interface LaunchPlan {
  readonly config: EmbeddedConfig
  readonly dataDir: DataDir
  readonly toolchain: Toolchain
  readonly log: ServerLog
  readonly password: string
  readonly supportsLz4: boolean
}

/** Errors that disappear with time or after another cleanup. */
const leftoverInTheWay = /pre-existing shared memory block|lock file ".*" already exists/
const attemptsMax = 3

export async function launch(
  plan: LaunchPlan,
  port: number,
  signal: AbortSignal,
): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    await endClusterProcesses(plan.dataDir, signal)
    const outcome = await tryLaunch(plan, port, signal)
    if (outcome instanceof Postmaster) return outcome
    const logTail = await plan.log.tail()
    if (logTail.includes('Address already in use')) throw portInUse(port)
    if (attempt < attemptsMax && leftoverInTheWay.test(logTail)) continue
    throw new EmbeddedError(
      EmbeddedErrorCode.StartFailed,
      `The embedded PostgreSQL in ${plan.dataDir.root} did not start: ${outcome}. ` +
        `The end of its log (${plan.dataDir.log}):\n${logTail}`,
    )
  }
}

export function serverUrl(password: string, port: number, database: string): string {
  return `postgres://${roleName}:${password}@127.0.0.1:${port}/${database}`
}

async function tryLaunch(
  { config, dataDir, toolchain, log, password, supportsLz4 }: LaunchPlan,
  port: number,
  signal: AbortSignal,
): Promise<Postmaster | string> {
  const settings = serverSettings({ port, tag: dataDir.tag, supportsLz4 }, config.settings)
  const postmaster = await Postmaster.spawn(toolchain, dataDir, settingArguments(settings), log)
  try {
    const readiness = await waitUntilReady(postmaster, {
      url: serverUrl(password, port, 'postgres'),
      silenceMaxMs: config.startDeadlineMs,
      signal,
    })
    if (readiness.state === 'ready') return postmaster
    const exit = await postmaster.shutDownNow()
    return readiness.state === 'exited' ? describeExit(exit) : readiness.reason
  } catch (error) {
    await postmaster.shutDownNow()
    throw error
  }
}

function describeExit({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal ? `it was ended by ${signal}` : `it exited with code ${code}`
}
