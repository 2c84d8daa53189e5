import { startPrivateServer } from './private-server.ts'
import { requireServer } from './require-server.ts'

export interface RedisOptions {
  /**
   * More settings of redis.conf.
   * @default nothing is written to disk
   */
  readonly settings?: Readonly<Record<string, string | number>>
}

export interface Redis {
  readonly url: string
  /** Kills the server and starts it again on the same port and directory. */
  restart(): Promise<void>
  /** Kills the server and removes its directory. Harmless when repeated. */
  stop(): Promise<void>
}

/** Starts Redis on a private port with a directory of its own. */
export async function startRedis({ settings = {} }: RedisOptions = {}): Promise<Redis> {
  const { port, restart, stop } = await startPrivateServer({
    program: requireServer('redis').program('redis-server'),
    readyLine: /Ready to accept connections/,
    async prepare({ port, directory }) {
      const place = { bind: '127.0.0.1', port, dir: directory }
      const all = { save: '', appendonly: 'no', ...settings, ...place }
      return Object.entries(all).flatMap(([key, value]) => [`--${key}`, String(value)])
    },
  })
  return { url: `redis://127.0.0.1:${port}`, restart, stop }
}
