/**
 * The server's log: a file that the server holds open as its stderr, so that it neither waits for
 * this process nor loses lines when this process dies.
 *
 * PostgreSQL's own log collector cannot limit the total size, so the file is rotated here: above
 * the limit it is copied to `<path>.1` and truncated, which works because the server opened it for
 * appending. A line written between the two steps is lost.
 *
 * On a full disk the server's last lines are lost as well, so the tail reports a full disk.
 */
import { copyFile, type FileHandle, open, stat, statfs, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'

const sizeMax = 10 * 1024 * 1024
const tailBytesMax = 16 * 1024
const rotationCheckMs = 15_000
/** With less free space than this, PostgreSQL cannot write. */
const freeBytesMin = 1024 * 1024

export class ServerLog {
  readonly #path: string
  readonly #sizeMax: number
  /** Where the current server's lines begin. */
  #begin = 0
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, limits: { sizeMax?: number } = {}) {
    this.#path = path
    this.#sizeMax = limits.sizeMax ?? sizeMax
  }

  /** Opens the log for a server that is about to start; the caller closes the handle. */
  async openForServer(): Promise<FileHandle> {
    await this.rotate()
    const file = await open(this.#path, 'a', 0o600)
    this.#begin = (await file.stat()).size
    return file
  }

  watchSize(): void {
    this.#timer ??= setInterval(() => {
      // The next check retries a failed rotation, for example on a full disk.
      this.rotate().catch(() => {})
    }, rotationCheckMs).unref()
  }

  unwatchSize(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async rotate(): Promise<void> {
    const size = await this.#size()
    if (size <= this.#sizeMax) return
    await copyFile(this.#path, `${this.#path}.1`)
    await truncate(this.#path)
    this.#begin = 0
  }

  /** The last lines that the current server has logged. */
  async tail(linesMax = 20): Promise<string> {
    const file = await open(this.#path, 'r').catch(() => undefined)
    if (!file) return ''
    try {
      const { size } = await file.stat()
      const from = Math.max(this.#begin, size - tailBytesMax)
      const buffer = Buffer.alloc(Math.max(0, size - from))
      await file.read(buffer, 0, buffer.length, from)
      const lines = buffer.toString('utf8').trimEnd().split('\n').filter(isInformative)
      return [...lines.slice(-linesMax), ...(await this.#spaceWarning())].join('\n')
    } finally {
      await file.close()
    }
  }

  async #spaceWarning(): Promise<string[]> {
    const disk = await statfs(dirname(this.#path)).catch(() => undefined)
    const freeBytes = disk ? disk.bavail * disk.bsize : Number.POSITIVE_INFINITY
    if (freeBytes >= freeBytesMin) return []
    return [`(The disk is full: ${freeBytes} bytes are free. Later lines could not be written.)`]
  }

  async #size(): Promise<number> {
    return (await stat(this.#path).catch(() => undefined))?.size ?? 0
  }
}

/** Each readiness poll logs this line; many would push the actual reason out of the tail. */
function isInformative(line: string): boolean {
  return !line.includes('the database system is starting up')
}
