/**
 * A wall clock of its own for one process, all of it and not only its JavaScript: libfaketime, which the process
 * is started with, reads from a file how far it is off. The monotonic clock runs on, as it does on a real machine.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { servers } from '../../servers/servers.ts'

const LIBRARY = 'faketime/libfaketimeMT.so.1'
const FOLDERS = ['/usr/lib', '/usr/local/lib']

function findLibrary(): string | null {
  for (const folder of FOLDERS.filter((it) => existsSync(it))) {
    const within = readdirSync(folder).map((name) => join(folder, name, LIBRARY))
    const found = [join(folder, LIBRARY), ...within].find((it) => existsSync(it))
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

  /** What the process has to be started with. */
  get environment(): Record<string, string> {
    if (this.#library === null) return {}
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      // In seconds: how long it goes by what the file said.
      FAKETIME_CACHE_DURATION: '1',
      DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }
  }

  /** Throws where it cannot be faked. */
  require(): void {
    const { title, install } = servers.faketime
    if (this.#library === null) throw new Error(`${title} is missing: ${install}`)
  }

  /** The clock jumps within a second; 0 brings it back. */
  step(offsetMs: number): void {
    writeFileSync(this.#file, `${offsetMs < 0 ? '' : '+'}${offsetMs / 1_000}\n`)
  }
}
