/** Waits on named signals instead of sleeping: a gate is opened by one side and awaited by the other. */
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

/** Looks until the answer is true; fails with what it waited for after the deadline. */
export async function eventually(
  what: string,
  look: () => Promise<boolean> | boolean,
  deadlineMs = 20_000,
): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!(await look())) {
    if (performance.now() > end)
      throw new Error(`It did not happen within ${deadlineMs} ms: ${what}`)
    // waits: looks at something that sends no signal
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
