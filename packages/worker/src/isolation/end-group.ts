/**
 * Ends the process of an isolated handler from inside, together with all processes that it started.
 */
export function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // This platform has no process groups.
    process.kill(leader, 'SIGKILL')
  }
}
