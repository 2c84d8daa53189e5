/** Runs a campaign program to completion and returns what it sent. */
import { fork } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { type ChildSettings, toEnvironment } from '../plan/child-settings.ts'

export function runOnce<Answer>(program: string, settings: ChildSettings): Promise<Answer | null> {
  const file = join(settings.directory, `${settings.name}.out`)
  const output = openSync(file, 'a')
  const child = fork(program, [], {
    env: { ...process.env, ...toEnvironment(settings) },
    stdio: ['ignore', output, output, 'ipc'],
    execArgv: [],
  })
  return new Promise((resolve, reject) => {
    let answer: Answer | null = null
    child.on('message', (message) => {
      answer = message as Answer
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve(answer)
      else reject(new Error(`${settings.name} ended with ${code}; its output is in ${file}`))
    })
  })
}
