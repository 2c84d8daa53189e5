/** Starts the process that ends the commands of this worker when the worker is gone. */
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { compiledFile } from '../../isolation/isolate.ts'

export function startGuard(folder: string): void {
  const file = fileURLToPath(compiledFile(new URL('./guard.js', import.meta.url)))
  const guard = spawn(process.execPath, [file, folder], {
    // A signal for the worker's process group must not end the guard first.
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.on('error', () => undefined)
  guard.unref()
  // The pipe stays open until this process ends, and does not keep it alive.
  if (guard.stdin instanceof Socket) guard.stdin.unref()
}
