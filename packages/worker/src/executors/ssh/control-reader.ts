/** Takes our own lines out of what the other host writes to stderr. */
import type { ControlLines } from './remote-script.ts'

/** A longer line is none of ours. */
const PENDING = 16_384

export class ControlReader {
  readonly #lines: ControlLines
  readonly #onReady: () => void
  readonly #pass: (chunk: Buffer) => void
  /** One character a byte, so that nothing is lost in texts of any encoding. */
  #pending = ''
  /** An empty line that may belong to ours. */
  #held = false
  ready = false
  /** The exit code of the command; null while it is not known to have ended. */
  code: number | null = null

  constructor(lines: ControlLines, onReady: () => void, pass: (chunk: Buffer) => void) {
    this.#lines = lines
    this.#onReady = onReady
    this.#pass = pass
  }

  push(chunk: Buffer): void {
    const lines = (this.#pending + chunk.toString('latin1')).split('\n')
    this.#pending = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    if (this.#pending.length > PENDING) this.#forward(this.#takePending())
  }

  end(): void {
    if (this.#pending !== '') this.#forward(this.#takePending())
  }

  #takePending(): string {
    const pending = this.#pending
    this.#pending = ''
    return pending
  }

  #take(line: string): void {
    const [, code] = this.#lines.ended.exec(line) ?? []
    if (code !== undefined) {
      this.code = Number(code)
      this.#held = false
    } else if (line === this.#lines.ready && !this.ready) {
      this.ready = true
      this.#onReady()
    } else if (line === '' && !this.#held) this.#held = true
    else this.#forward(`${line}\n`)
  }

  #forward(text: string): void {
    this.#pass(Buffer.from(this.#held ? `\n${text}` : text, 'latin1'))
    this.#held = false
  }
}
