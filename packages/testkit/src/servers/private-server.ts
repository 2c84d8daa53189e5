import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { freePort } from './free-port.ts'
import { createServerDirectory, startServerProcess } from './server-process.ts'

/** The port and directory of a private server; no other server uses them. */
export interface ServerPlace {
  readonly port: number
  readonly directory: string
}

export interface PrivateServerOptions {
  readonly program: string
  /** Matches the server's output once it listens. */
  readonly readyLine: RegExp
  /** Whether the server keeps the user of this process, also root. @default false */
  readonly keepsUser?: boolean
  /** Writes the server's files into its directory and returns its arguments. */
  prepare(place: ServerPlace): Promise<readonly string[]>
}

export interface PrivateServer extends ServerPlace {
  /** Kills the server and starts it in the same place: every connection breaks. */
  restart(): Promise<void>
  /** Kills the server and removes its directory. Idempotent. */
  stop(): Promise<void>
}

/** Starts a server on a free port with its own directory; `stop` removes both. */
export async function startPrivateServer(options: PrivateServerOptions): Promise<PrivateServer> {
  const { program, readyLine, keepsUser = false } = options
  const directory = await createServerDirectory(basename(program))
  const removeDirectory = () => rm(directory, { recursive: true, force: true })
  try {
    const port = await freePort()
    const args = await options.prepare({ port, directory })
    const start = () => startServerProcess({ program, args, directory, readyLine, keepsUser })
    let server = await start()
    return {
      port,
      directory,
      async restart() {
        await server.kill()
        server = await start()
      },
      async stop() {
        await server.kill()
        await removeDirectory()
      },
    }
  } catch (error) {
    await removeDirectory()
    throw error
  }
}
