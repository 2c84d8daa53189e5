/**
 * Reads the value of a secret from standard input or a prompt, because the process list would show
 * a value on the command line.
 */
import { PunctualError } from '@punctual/core/errors'
import { readInput } from './read-input.ts'

const ENTER = ['\r', '\n']
const ERASE = ['\u007f', '\b']
const INTERRUPT = '\u0003'
const END = '\u0004'

/** Drops the final line break, which editors and `echo` add. */
export async function readSecret(name: string): Promise<string> {
  if (!process.stdin.isTTY) return readInput('The value', '-').replace(/\r?\n$/, '')
  const value = await prompt(`Value of ${name} (not shown): `)
  const again = await prompt('Repeat the value: ')
  if (value === again) return value
  throw new PunctualError('invalid_option', 'The two values differ; nothing was stored.', {
    field: 'value',
  })
}

function prompt(question: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8').resume()
  return new Promise((resolve, reject) => {
    let value = ''
    const done = (end: () => void) => {
      stdin.off('data', onData).pause()
      stdin.setRawMode(false)
      stderr.write('\n')
      end()
    }
    const onData = (text: string) => {
      for (const key of text) {
        if (ENTER.includes(key)) return done(() => resolve(value))
        if (key === INTERRUPT || key === END)
          return done(() => reject(new PunctualError('invalid_option', 'No value was given.')))
        value = ERASE.includes(key) ? [...value].slice(0, -1).join('') : value + key
      }
    }
    stdin.on('data', onData)
  })
}
