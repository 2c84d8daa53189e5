/**
 * The PostgreSQL server of the test run: the one that the global setup started or, in a process
 * without the global setup, one that this process starts on first use and keeps until it exits.
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
  // The server belongs to the whole run, so `stop` does nothing here.
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
