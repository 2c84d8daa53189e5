import { startPrivateServer } from './private-server.ts'
import { requireServer } from './require-server.ts'

export interface RedisOptions {
  /**
   * Settings of redis.conf, in addition to the port, the directory and the defaults below.
   * @default settings with which Redis writes nothing to disk
   */
  readonly settings?: Readonly<Record<string, string | number>>
}

export interface Redis {
  readonly url: string
  /** Kills the server and starts it on the same port and directory. */
  restart(): Promise<void>
  /** Kills the server and removes its directory. Idempotent. */
  stop(): Promise<void>
}

/** Starts Redis on a private port with its own directory. */
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
