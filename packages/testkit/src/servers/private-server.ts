import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { freePort } from './free-port.ts'
import { createServerDirectory, startServerProcess } from './server-process.ts'

/** Where a private server lives: nobody else uses its port or its directory. */
export interface ServerPlace {
  readonly port: number
  readonly directory: string
}

export interface PrivateServerOptions {
  readonly program: string
  /** What the server prints once it listens. */
  readonly readyLine: RegExp
  /** Writes what the server needs into its directory and returns its arguments. */
  prepare(place: ServerPlace): Promise<readonly string[]>
}

export interface PrivateServer extends ServerPlace {
  /** Kills the server and starts it again in the same place: every connection breaks. */
  restart(): Promise<void>
  /** Kills the server and removes its directory. Harmless when repeated. */
  stop(): Promise<void>
}

/** Starts a server on a free port with a directory of its own, both gone after `stop`. */
export async function startPrivateServer(options: PrivateServerOptions): Promise<PrivateServer> {
  const { program, readyLine } = options
  const directory = await createServerDirectory(basename(program))
  const removeDirectory = () => rm(directory, { recursive: true, force: true })
  try {
    const port = await freePort()
    const args = await options.prepare({ port, directory })
    const start = () => startServerProcess({ program, args, directory, readyLine })
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
