/** The bench's side of a child process: sends commands, receives answers and events. */
import { fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../child/main.mjs', import.meta.url))

/** Every living child, so that an interrupted bench leaves none behind. */
const living = new Set()

export class Child extends EventEmitter {
  #calls = new Map()
  #nextId = 1
  #stderr = ''

  /** @param {string} system @param {import('../systems/adapter.mjs').Env} env */
  static async start(system, env) {
    const child = new Child()
    child.system = system
    child.process = fork(MAIN, [system, JSON.stringify(env)], { silent: true })
    living.add(child)
    child.process.stderr?.on('data', (chunk) => {
      child.#stderr = (child.#stderr + chunk).slice(-4000)
    })
    child.process.stdout?.resume()
    child.process.on('message', (message) => child.#receive(message))
    child.process.on('exit', (code, signal) => child.#ended(code ?? signal))
    child.process.on('error', (error) => child.#ended(error.message))
    await new Promise((resolve, reject) => {
      child.once('ready', resolve)
      child.once('ended', reject)
    })
    return child
  }

  /** @returns {Promise<any>} the command's answer */
  call(command, args) {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      this.#calls.set(id, { resolve, reject })
      this.process.send({ id, command, args }, (error) => error && reject(error))
    })
  }

  /** Kills the process without a shutdown: its store is discarded as well. */
  kill() {
    living.delete(this)
    this.process.kill('SIGKILL')
  }

  #receive({ ready, id, value, error, event, ...rest }) {
    if (ready) return this.emit('ready')
    if (event) return this.emit(event, rest)
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    if (error) call?.reject(new Error(`${this.system}: ${error}`))
    else call?.resolve(value)
  }

  #ended(how) {
    living.delete(this)
    const error = new Error(`${this.system}: its process ended (${how})\n${this.#stderr}`)
    for (const { reject } of this.#calls.values()) reject(error)
    this.#calls.clear()
    this.emit('ended', error)
  }
}

export function killChildren() {
  for (const child of living) child.kill()
}
