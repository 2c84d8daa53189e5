/**
 * A process of the profile that answers questions of its parent: it is asked to submit, to attack or
 * to report, one message a question. Nothing restarts it: a node that ends by itself is a violation.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { type ChildSettings, toEnvironment } from '../plan/child-settings.ts'

interface Message {
  readonly ready?: true
  /** The number of the question that it answers. */
  readonly answers?: number
  readonly answer?: unknown
  readonly error?: string
}

interface Question {
  resolve(answer: unknown): void
  reject(error: Error): void
}

const STOP_MS = 5_000

export class Program {
  readonly name: string
  readonly pid: number
  /** The way in which the process ended without being asked; null while it runs. */
  ownDeath: string | null = null
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  readonly #questions = new Map<number, Question>()
  #asked = 0
  #wanted = true

  private constructor(child: ChildProcess, name: string) {
    this.#child = child
    this.name = name
    this.pid = child.pid ?? 0
    child.on('message', (message) => this.#hear(message as Message))
    this.#exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        if (this.#wanted) this.ownDeath = `${name} ended: ${signal ?? code}`
        for (const { reject } of this.#questions.values()) reject(new Error(`${name} has ended`))
        resolve()
      })
    })
  }

  /** Resolves when the process reports that it is ready. */
  static async start(file: string, settings: ChildSettings): Promise<Program> {
    const output = openSync(join(settings.directory, `${settings.name}.out`), 'a')
    const child = fork(file, [], {
      env: { ...process.env, ...toEnvironment(settings) },
      stdio: ['ignore', output, output, 'ipc'],
      execArgv: [],
      serialization: 'advanced',
    })
    const program = new Program(child, settings.name)
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.on('message', (message) => (message as Message).ready && resolve())
      child.once('exit', (code) =>
        reject(new Error(`${settings.name} ended with ${code} before it was ready`)),
      )
    })
    return program
  }

  ask<Answer>(question: string, argument: unknown = null): Promise<Answer> {
    const number = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#questions.set(number, { resolve: resolve as (answer: unknown) => void, reject })
      if (this.ownDeath !== null) reject(new Error(this.ownDeath))
      else this.#child.send({ number, question, argument })
    })
  }

  #hear({ answers, answer, error }: Message): void {
    if (answers === undefined) return
    const question = this.#questions.get(answers)
    this.#questions.delete(answers)
    if (error === undefined) question?.resolve(answer)
    else question?.reject(new Error(`${this.name}: ${error}`))
  }

  async kill(): Promise<void> {
    this.#wanted = false
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  async stop(): Promise<void> {
    this.#wanted = false
    this.#child.kill('SIGTERM')
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS)
    await this.#exited
    clearTimeout(late)
  }

  /** For the exit hook: however the parent ends, the process ends with it. */
  killNow(): void {
    this.#wanted = false
    this.#child.kill('SIGKILL')
  }
}
