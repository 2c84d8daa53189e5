/** The campaign as a child process: its output, its exit code, and the verdict on its last line. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../dist/chaos/main.js', import.meta.url))

export interface ChaosOutcome {
  readonly code: number | null
  /** All output, for the message of a failure. */
  readonly output: string
  readonly verdict: Readonly<Record<string, unknown>>
}

export function runChaos(args: readonly string[]): Promise<ChaosOutcome> {
  const child = spawn(process.execPath, [program, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [printed, said]: [string[], string[]] = [[], []]
  child.stdout.on('data', (piece) => printed.push(String(piece)))
  child.stderr.on('data', (piece) => said.push(String(piece)))
  const kill = () => child.kill('SIGTERM')
  process.once('exit', kill)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.off('exit', kill)
      const lines = printed.join('').trimEnd().split('\n')
      const last = lines.at(-1) ?? ''
      const verdict = last.startsWith('{') ? JSON.parse(last) : {}
      resolve({ code, output: [...said, ...printed].join(''), verdict })
    })
  })
}
