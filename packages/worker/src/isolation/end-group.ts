/** Ends a process of an isolated handler from inside, with all that it has started. */
export function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // There are no groups on this platform.
    process.kill(leader, 'SIGKILL')
  }
}
