/**
 * Ends the bench on a signal at any time. The first signal stops everything that was started and
 * exits when that is done or after a deadline; the second exits at once. Exiting suffices to end
 * the servers and children: they are bound to this process. Errors meanwhile are consequences of
 * the signal and are not reported.
 */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const INTERRUPTED = 130

/**
 * @param {() => Promise<unknown>} stop  may be called at any time, and more than once
 * @param {{ deadlineMs?: number }} [options]
 */
export function endOnSignals(stop, { deadlineMs = 10_000 } = {}) {
  let signalled = false
  const leave = () => process.exit(INTERRUPTED)
  for (const signal of SIGNALS)
    process.on(signal, () => {
      if (signalled) leave()
      signalled = true
      process.exitCode = INTERRUPTED
      setTimeout(leave, deadlineMs)
      void stop().then(leave, leave)
    })
  process.on('uncaughtException', (error) => {
    if (signalled) return
    process.stderr.write(`bench: ${error.stack}\n`)
    setTimeout(() => process.exit(1), deadlineMs)
    const fail = () => process.exit(1)
    void stop().then(fail, fail)
  })
}
