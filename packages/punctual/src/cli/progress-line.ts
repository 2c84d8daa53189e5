/** One line on the standard error that is written over, where a person is looking; nothing elsewhere. */
const EVERY_MS = 200

export class ProgressLine {
  #shownAtMs = Number.NEGATIVE_INFINITY

  show(text: () => string): void {
    const nowMs = performance.now()
    if (!process.stderr.isTTY || nowMs - this.#shownAtMs < EVERY_MS) return
    this.#shownAtMs = nowMs
    process.stderr.write(`\r\u001b[K${text()}`)
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  }
}
