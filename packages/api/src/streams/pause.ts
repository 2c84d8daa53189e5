/** Waits this long, or until the signal is aborted; resolves to whether the time elapsed. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const over = (passed: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', aborted)
      resolve(passed)
    }
    const aborted = () => over(false)
    const timer = setTimeout(() => over(true), ms)
    signal.addEventListener('abort', aborted, { once: true })
    if (signal.aborted) aborted()
  })
}
