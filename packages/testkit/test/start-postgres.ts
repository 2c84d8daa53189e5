import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireServer } from '../src/servers/index.ts'
import { startPrivateServer } from '../src/servers/private-server.ts'

export interface TestPostgres {
  readonly url: string
  stop(): Promise<void>
}

/** Starts the distribution's PostgreSQL with one superuser, who must give this password. */
export async function startPostgres(password: string): Promise<TestPostgres> {
  const server = requireServer('postgresql')
  const { port, stop } = await startPrivateServer({
    program: server.program('postgres'),
    readyLine: /database system is ready to accept connections/,
    async prepare({ port, directory }) {
      const passwordFile = join(directory, 'password')
      writeFileSync(passwordFile, password)
      const data = join(directory, 'data')
      const initdb = ['--pgdata', data, '--username', 'owner', '--auth', 'scram-sha-256']
      const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
      execFileSync(server.program('initdb'), [...initdb, '--pwfile', passwordFile], {
        ...identity,
        cwd: directory,
        stdio: 'pipe',
      })
      const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
      return ['-D', data, '-p', String(port), ...settings]
    },
  })
  const secret = encodeURIComponent(password)
  return { url: `postgresql://owner:${secret}@127.0.0.1:${port}/postgres`, stop }
}
