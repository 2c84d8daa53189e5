/**
 * All processes that a command started, however they try to leave it: children of children, those
 * that began a session, those whose parent has ended, and those that changed their environment
 * after one of the other properties was seen.
 */
import { hasVariable, listProcesses, type ProcessFacts, signal } from './processes.ts'

/** The environment variable that all processes of a command inherit. */
export const MARK = 'PUNCTUAL_COMMAND'
/** A command that starts processes faster than they are killed is stopped after this many rounds. */
const ROUNDS = 50

export interface TreeOptions {
  readonly mark: string
  /** The first process of the tree, which leads a session; 0 when it is unknown. */
  readonly root: number
  /** Whether to look into the environment of every process: needed where a tree can fall apart. */
  readonly byMark: boolean
}

export class ProcessTree {
  readonly #entry: string
  readonly #root: number
  readonly #byMark: boolean
  readonly #sessions = new Set<number>()
  /** Processes that were seen in the tree, with their starts. */
  readonly #known = new Map<number, string>()

  constructor({ mark, root, byMark }: TreeOptions) {
    this.#entry = `${MARK}=${mark}`
    this.#root = root
    this.#byMark = byMark
    if (root > 0) this.#sessions.add(root)
  }

  /** Finds the processes of the tree that are running. */
  find(all: readonly ProcessFacts[] = listProcesses()): ProcessFacts[] {
    const found = all.filter((each) => this.#belongs(each))
    const inside = new Set(found.map(({ pid }) => pid))
    // Parents may stand after their children in the list.
    for (let before = -1; before < found.length; ) {
      before = found.length
      for (const each of all)
        if (!inside.has(each.pid) && inside.has(each.parent)) {
          inside.add(each.pid)
          found.push(each)
        }
    }
    for (const { pid, startedAt, session } of found) {
      this.#known.set(pid, startedAt)
      this.#sessions.add(session)
    }
    return found.filter(({ isZombie }) => !isZombie)
  }

  #belongs({ pid, session, startedAt }: ProcessFacts): boolean {
    if (pid === process.pid) return false
    return (
      pid === this.#root ||
      this.#sessions.has(session) ||
      this.#known.get(pid) === startedAt ||
      (this.#byMark && hasVariable(pid, this.#entry))
    )
  }

  /** Asks all processes to end, except those that hold the tree together. */
  terminate(keep: ReadonlySet<number>): void {
    for (const { pid } of this.find()) if (!keep.has(pid)) signal(pid, 'SIGTERM')
  }

  /**
   * Kills all processes. New ones may appear while the list is read, so that it is read until it is
   * empty; all are stopped first, because a stopped process starts none.
   */
  async kill(pause: () => Promise<void>): Promise<void> {
    if (this.#root > 0) signal(-this.#root, 'SIGKILL')
    for (let round = 0; round < ROUNDS; round++) {
      const found = this.find()
      if (found.length === 0) return
      for (const { pid } of found) signal(pid, 'SIGSTOP')
      for (const { pid } of found) signal(pid, 'SIGKILL')
      await pause()
    }
  }
}
