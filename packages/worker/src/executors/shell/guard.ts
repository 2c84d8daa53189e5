/**
 * The process that ends the commands of a worker when that is gone, where the kernel does not: it
 * waits for the end of its input, which the worker holds open as long as it lives.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { endCommandsOf } from './leftovers.ts'

const PAUSE_MS = 5
const [, , folder = ''] = process.argv

process.stdin.resume()
process.stdin.once('close', () => {
  endCommandsOf(folder, () => sleep(PAUSE_MS)).then(
    () => process.exit(0),
    // The worker ended in order, and has removed its folder.
    () => process.exit(0),
  )
})
