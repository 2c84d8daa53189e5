/**
 * The PostgreSQL server of the test run: the one that the global setup has started, or, in a
 * process that runs without it, one that this process starts on first use and keeps to its end.
 */
import { type PostgresMajor, urlVariable } from './postgres-major.ts'
import { startThrowawayServer, type TestServer } from './throwaway-server.ts'

export interface TestServerOptions {
  /** @default 18 */
  readonly major?: PostgresMajor
}

const own = new Map<PostgresMajor, Promise<TestServer>>()

export async function testServer({ major = 18 }: TestServerOptions = {}): Promise<TestServer> {
  const url = process.env[urlVariable(major)]
  // The run's server belongs to the run, so that stopping it is nobody's business here.
  if (url) return { url, async stop() {} }
  const started = own.get(major) ?? startThrowawayServer(major)
  own.set(major, started)
  const server = await started
  return {
    url: server.url,
    async stop() {
      own.delete(major)
      await server.stop()
    },
  }
}
