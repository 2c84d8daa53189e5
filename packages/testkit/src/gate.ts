/** Named signals instead of sleeps: one side opens a gate, the other awaits it. */
export interface Gate<T = void> {
  readonly opened: Promise<T>
  open(value: T): void
}

export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => undefined
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { opened, open: (value) => open(value) }
}

/** Polls until the check returns true; after the deadline it throws with what it waited for. */
export async function eventually(
  what: string,
  look: () => Promise<boolean> | boolean,
  deadlineMs = 20_000,
): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`Timed out after ${deadlineMs} ms: ${what}`)
    // waits: polls a condition that sends no signal
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
