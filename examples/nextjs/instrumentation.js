/** Next.js calls this once in each server process, before the first request. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { startPunctual } = await import('./punctual.js')
  await startPunctual()
}
