/**
 * Reads one output of a command: lines for the log as they come, up to a size that
 * both outputs share, and the last bytes, from which the result is made. A command that writes more
 * is read and not held up.
 */
import { StringDecoder } from 'node:string_decoder'

const TAIL_BYTES = 65_536
/** A longer line is logged in pieces. */
const PIECE = 16_384

/** The bytes of output that may still be logged. */
export interface Budget {
  left: number
  onFull(): void
}

export class Output {
  readonly #write: (line: string) => void
  readonly #budget: Budget
  /** The places at which a text must not be cut, because a secret would be recognised no more. */
  readonly #secrets: () => readonly string[]
  readonly #decoder = new StringDecoder('utf8')
  #line = ''
  #tail: Buffer[] = []
  #tailBytes = 0

  constructor(
    write: (line: string) => void,
    budget: Budget,
    secrets: () => readonly string[] = () => [],
  ) {
    this.#write = write
    this.#budget = budget
    this.#secrets = secrets
  }

  push(chunk: Buffer): void {
    this.#keep(chunk)
    if (this.#budget.left <= 0) return
    this.#line += this.#decoder.write(chunk)
    const lines = this.#line.split('\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) this.#log(line)
    while (this.#line.length > 2 * PIECE && this.#budget.left > 0) this.#logPiece()
  }

  /** Logs the rest: the last line need not end with a line break. */
  end(): void {
    const rest = this.#line + this.#decoder.end()
    this.#line = ''
    if (rest !== '') this.#log(rest)
  }

  #logPiece(): void {
    let at = PIECE
    for (const secret of this.#secrets()) {
      const found = this.#line.indexOf(secret, Math.max(0, at - secret.length + 1))
      if (found > 0 && found < at) at = found
    }
    this.#log(this.#line.slice(0, at))
    this.#line = this.#line.slice(at)
  }

  #log(line: string): void {
    if (this.#budget.left <= 0) return
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    this.#budget.left -= Buffer.byteLength(text) + 1
    if (this.#budget.left > 0) this.#write(text)
    else this.#budget.onFull()
  }

  #keep(chunk: Buffer): void {
    this.#tail.push(chunk)
    this.#tailBytes += chunk.length
    if (this.#tailBytes < 4 * TAIL_BYTES) return
    const last = Buffer.concat(this.#tail).subarray(-TAIL_BYTES)
    this.#tail = [Buffer.from(last)]
    this.#tailBytes = last.length
  }

  /** The last bytes as text; the first character of a cut text may be damaged. */
  tail(): string {
    return Buffer.concat(this.#tail).subarray(-TAIL_BYTES).toString('utf8').replaceAll('\0', '')
  }
}

const OUTPUT_TEXT = 8_192

/** The result of a command: its last line when that is JSON, else the end of its output. */
export function resultOf(text: string): unknown {
  const trimmed = text.trimEnd()
  if (trimmed === '') return undefined
  const last = trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim()
  try {
    return JSON.parse(last)
  } catch {
    return lastOf(trimmed, OUTPUT_TEXT)
  }
}

/** The end of a text, from the beginning of a line where it has several. */
export function lastOf(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(-length)
  const line = cut.indexOf('\n')
  return line >= 0 && line < cut.length - 1 ? cut.slice(line + 1) : cut
}
