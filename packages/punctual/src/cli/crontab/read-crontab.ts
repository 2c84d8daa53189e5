/**
 * Reads a crontab in the dialects of Vixie cron, cronie and /etc/crontab: the meaning of each line,
 * the job that Punctual makes of it, and what it cannot import. Pure; naming and registration
 * happen elsewhere.
 */
import { PunctualError } from '@punctual/core/errors'
import { type DayRule, nextFires } from '@punctual/core/schedule'
import { splitCommand } from './split-command.ts'
import { ZoneOfLines } from './zone-of-lines.ts'

export interface CrontabOptions {
  /** Each line names a user between schedule and command, as in /etc/crontab. */
  readonly userColumn: boolean
  /** The time zone of lines for which the crontab sets none. */
  readonly timezone: string
}

export interface CrontabEntry {
  readonly cron: string
  readonly dayRule?: DayRule
  readonly timezone: string
  readonly jitterMs: number | null
  readonly command: string
  readonly stdin: string | null
  readonly user: string | null
  readonly env: Readonly<Record<string, string>>
}

export type CrontabLine = {
  readonly line: number
  readonly text: string
  /** How the meaning differs from cron's, for the user. */
  readonly notes: readonly string[]
} & (
  | { readonly kind: 'job'; readonly entry: CrontabEntry }
  | { readonly kind: 'variable'; readonly name: string; readonly value: string }
  /** `wrong`: cron would refuse the line too; otherwise Punctual does not support it. */
  | { readonly kind: 'refused'; readonly why: string; readonly wrong: boolean }
)

const ASSIGNMENT = /^(?:"([^"]+)"|'([^']+)'|([A-Za-z_]\w*))[ \t]*=[ \t]*(.*)$/
const FIELDS = 5
const MINUTE_MS = 60_000

/** Skips blank lines and comments. */
export function readCrontab(text: string, options: CrontabOptions): CrontabLine[] {
  const reader = new Reader(options)
  return text
    .split('\n')
    .map((raw, i) => ({ raw: raw.replace(/\r$/, ''), line: i + 1 }))
    .filter(({ raw }) => !/^[ \t]*(#|$)/.test(raw))
    .map(({ raw, line }) => reader.read(raw.trim(), line))
}

class Reader {
  readonly #options: CrontabOptions
  readonly #env = new Map<string, string>()
  readonly #zones: ZoneOfLines
  #jitterMs: number | null = null

  constructor(options: CrontabOptions) {
    this.#options = options
    this.#zones = new ZoneOfLines(options.timezone)
  }

  read(text: string, line: number): CrontabLine {
    const assignment = ASSIGNMENT.exec(text)
    if (assignment) {
      const [, double, single, bare, value = ''] = assignment
      return this.#variable(text, line, (double ?? single ?? bare) as string, unquoted(value))
    }
    const notes: string[] = []
    try {
      return { line, text, notes, kind: 'job', entry: this.#entry(text, notes) }
    } catch (error) {
      if (error instanceof Refusal)
        return { line, text, notes, kind: 'refused', why: error.message, wrong: error.wrong }
      if (!(error instanceof PunctualError)) throw error
      return { line, text, notes, kind: 'refused', why: error.message, wrong: true }
    }
  }

  #variable(text: string, line: number, name: string, value: string): CrontabLine {
    const notes: string[] = []
    const common = { line, text, notes }
    if (name === 'CRON_TZ' || name === 'TZ') {
      const why = this.#zones.set(name, value, line)
      if (why !== null) return { ...common, kind: 'refused', why, wrong: true }
      notes.push(`the following lines use the time zone ${this.#zones.name}`)
    }
    if (name === 'RANDOM_DELAY') {
      this.#jitterMs = /^\d+$/.test(value) ? Number(value) * MINUTE_MS : null
      notes.push('the random delay becomes jitter, which is the same for every run of a job')
    } else if (name !== 'CRON_TZ') this.#env.set(name, value)
    if (name === 'MAILTO' && value !== '')
      notes.push('Punctual sends no mail; see the result and the log of a run')
    return { ...common, kind: 'variable', name, value }
  }

  #entry(text: string, notes: string[]): CrontabEntry {
    const { schedule, rest } = splitSchedule(text, notes)
    const timezone = this.#zones.need()
    const cron = schedule.startsWith('@') ? schedule : withoutTildes(schedule, notes)
    // Validates the expression; the error names the position of a mistake.
    nextFires(cron, { tz: timezone, from: 0, count: 1, seed: '' })
    noteSteps(cron, notes)
    const { user, command: whole } = this.#userOf(rest, notes)
    const { command, stdin } = splitCommand(whole, notes)
    if (command === '') throw new Refusal('expected a command after the schedule; got none', true)
    const env = Object.fromEntries(this.#env)
    return { cron, timezone, jitterMs: this.#jitterMs, command, stdin, user, env }
  }

  #userOf(rest: string, notes: string[]): { user: string | null; command: string } {
    const [, first = '', others = ''] = /^(\S*)[ \t]*(.*)$/s.exec(rest) ?? []
    if (this.#options.userColumn) {
      if (others === '')
        throw new Refusal(`expected a user and a command; got ${JSON.stringify(first)}`, true)
      notes.push(
        `cron runs this as ${first}; Punctual runs it as the user of the node, or of the handler`,
      )
      return { user: first, command: others }
    }
    if (/^(root|www-data|nobody|postgres|daemon)$/.test(first) && others !== '')
      notes.push(`${first} looks like a user; for a file like /etc/crontab use --user-column`)
    return { user: null, command: rest }
  }
}

class Refusal extends Error {
  readonly wrong: boolean

  constructor(message: string, wrong: boolean) {
    super(message)
    this.wrong = wrong
  }
}

/** Splits a line into its schedule and the rest. */
function splitSchedule(text: string, notes: string[]): { schedule: string; rest: string } {
  let line = text
  if (/^-[\d*]/.test(line)) {
    line = line.slice(1)
    notes.push('the leading -, which keeps a run out of the system log, is ignored')
  }
  if (line.startsWith('@')) return splitWord(line)
  const fields: string[] = []
  let rest = line
  for (let match = nextField(rest); fields.length < FIELDS && match; match = nextField(rest)) {
    fields.push(match[1] as string)
    rest = match[2] as string
  }
  if (fields.length < FIELDS || rest === '')
    throw new Refusal(
      `expected five fields and a command; got ${fields.length} ${fields.length === 1 ? 'word' : 'words'}`,
      true,
    )
  return { schedule: fields.join(' '), rest }
}

function nextField(text: string): RegExpExecArray | null {
  return /^(\S+)[ \t]*(.*)$/s.exec(text)
}

function splitWord(line: string): { schedule: string; rest: string } {
  const [, word = '', rest = ''] = nextField(line) ?? []
  const lower = word.toLowerCase()
  if (lower === '@reboot')
    throw new Refusal(
      'Punctual does not see machine restarts. Run the command, or submit a run, where you start your worker',
      false,
    )
  if (lower === '@every_minute') return { schedule: '* * * * *', rest }
  if (lower === '@every') {
    const [, period = '', command = ''] = nextField(rest) ?? []
    return { schedule: `@every ${period}`, rest: command }
  }
  return { schedule: lower, rest }
}

/** cronie and OpenBSD: a random value, chosen when the crontab is loaded. */
function withoutTildes(schedule: string, notes: string[]): string {
  if (!schedule.includes('~')) return schedule
  const spread = schedule.replace(/(\d*)~(\d*)/g, (_, from: string, to: string) => {
    if (from === '' && to === '') return 'H'
    if (from === '' || to === '')
      throw new Refusal('a random value needs both ends of its range: 0~30', true)
    return `H(${from}-${to})`
  })
  notes.push('the random value becomes H, which is chosen once for each job and then stays')
  return spread
}

/** Vixie cron reads `5/15` as 5, or refuses it. */
function noteSteps(cron: string, notes: string[]): void {
  const step = /(?:^|[ ,])(\d+)\/(\d+)/.exec(cron)
  if (step)
    notes.push(
      `${step[1]}/${step[2]} means ${step[1]} and every ${step[2]} after it; some crons differ`,
    )
}

function unquoted(value: string): string {
  const text = value.trim()
  return /^(["']).*\1$/s.test(text) && text.length >= 2 ? text.slice(1, -1) : text
}
