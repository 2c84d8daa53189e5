/**
 * Vitest's global setup: starts one server of each supported major version, publishes their URLs to
 * every test process, and stops them with the run. Vitest exits on Ctrl-C without a teardown; then
 * the servers' exit hook stops them.
 */
import { removeAbandonedDirectories } from './abandoned-directories.ts'
import { type PostgresMajor, postgresMajors, urlVariable } from './postgres-major.ts'
import { startThrowawayServer, type TestServer } from './throwaway-server.ts'

export default async function setup(): Promise<() => Promise<void>> {
  await removeAbandonedDirectories()
  const missing = postgresMajors.filter((major) => !process.env[urlVariable(major)])
  const starts = await Promise.allSettled(missing.map(startAndPublish))
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  const stopAll = async () => {
    await Promise.all(started.map((server) => server.stop()))
  }
  for (const start of starts) {
    if (start.status === 'fulfilled') continue
    await stopAll()
    throw start.reason
  }
  return stopAll
}

async function startAndPublish(major: PostgresMajor): Promise<TestServer> {
  const server = await startThrowawayServer(major)
  process.env[urlVariable(major)] = server.url
  return {
    url: server.url,
    async stop() {
      delete process.env[urlVariable(major)]
      await server.stop()
    },
  }
}
