/**
 * A faked wall clock for one whole process, not only its JavaScript: the process starts with
 * libfaketime, which reads its offset from a file. The monotonic clock is unaffected, as on a real
 * machine.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { servers } from '../../servers/servers.ts'

const LIBRARY = 'faketime/libfaketimeMT.so.1'
const FOLDERS = ['/usr/lib', '/usr/local/lib']

function findLibrary(): string | null {
  for (const folder of FOLDERS.filter((path) => existsSync(path))) {
    const nested = readdirSync(folder).map((name) => join(folder, name, LIBRARY))
    const found = [join(folder, LIBRARY), ...nested].find((path) => existsSync(path))
    if (found) return found
  }
  return null
}

export class FakedClock {
  readonly #file: string
  readonly #library = findLibrary()

  constructor(directory: string, name: string) {
    this.#file = join(directory, `${name}.clock`)
    this.step(0)
  }

  /** The environment variables that the process needs. */
  get environment(): Record<string, string> {
    if (this.#library === null) return {}
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      // In seconds: how long libfaketime caches the file.
      FAKETIME_CACHE_DURATION: '1',
      DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }
  }

  /** Throws when libfaketime is missing. */
  require(): void {
    const { title, install } = servers.faketime
    if (this.#library === null) throw new Error(`${title} is missing: ${install}`)
  }

  /** Moves the clock within a second; 0 restores it. */
  step(offsetMs: number): void {
    writeFileSync(this.#file, `${offsetMs < 0 ? '' : '+'}${offsetMs / 1_000}\n`)
  }
}
