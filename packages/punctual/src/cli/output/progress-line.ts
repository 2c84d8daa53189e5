/** A progress line on stderr that overwrites itself; null when stderr is not a terminal. */
const EVERY_MS = 100

export interface ProgressLine {
  /** Shows a text, unless another one was shown less than 100 ms ago. */
  show(text: string): void
  clear(): void
}

export function createProgressLine(): ProgressLine | null {
  const { stderr } = process
  if (!stderr.isTTY) return null
  let shownAtMs = Number.NEGATIVE_INFINITY
  return {
    show: (text) => {
      const nowMs = performance.now()
      if (nowMs - shownAtMs < EVERY_MS) return
      shownAtMs = nowMs
      stderr.write(`\r\u001b[K${text}`)
    },
    clear: () => void stderr.write('\r\u001b[K'),
  }
}
