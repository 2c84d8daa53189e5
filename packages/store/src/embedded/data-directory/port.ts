/**
 * Chooses the server's port on 127.0.0.1. A chosen port is stored, so that copied URLs keep
 * working. A requested port is never replaced by another one.
 */
import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { writeFileAtomic } from './atomic-file.ts'
import type { DataDir } from './data-dir.ts'
import { EmbeddedError, EmbeddedErrorCode } from './embedded-error.ts'

/**
 * Below the ephemeral range (32768 and up): otherwise an outgoing connection could hold the port
 * just when the server has to restart on it.
 */
const pickedMin = 15_000
const pickedMax = 32_000
const attemptsMax = 50

export async function choosePort(requested: number, dataDir: DataDir): Promise<number> {
  if (requested !== 0) {
    if (await isFree(requested)) return requested
    throw portInUse(requested)
  }
  const remembered = await rememberedPort(dataDir)
  if (remembered !== undefined && (await isFree(remembered))) return remembered
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const port = randomInt(pickedMin, pickedMax)
    if (await isFree(port)) return port
  }
  throw new EmbeddedError(
    EmbeddedErrorCode.PortInUse,
    `None of the ${attemptsMax} ports tried from ${pickedMin} to ${pickedMax} on 127.0.0.1 is free. Set the port option.`,
  )
}

export async function rememberPort(port: number, dataDir: DataDir): Promise<void> {
  if ((await rememberedPort(dataDir)) === port) return
  await writeFileAtomic(dataDir.portFile, `${port}\n`)
}

export function portInUse(port: number): EmbeddedError {
  return new EmbeddedError(
    EmbeddedErrorCode.PortInUse,
    `Port ${port} on 127.0.0.1 is in use by another program. Stop that program, or set another ` +
      'port (0 chooses a free one).',
  )
}

async function rememberedPort({ portFile }: DataDir): Promise<number | undefined> {
  const port = Number(await readFile(portFile, 'utf8').catch(() => ''))
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.close(() => resolve(true))
    })
  })
}
