/** The log of a node: JSON lines for programs, short readable lines on a terminal. */
import pino from 'pino'
import type { Logger } from '../../config/logger.ts'
import type { Config } from '../../config/settings.ts'
import type { Colors } from '../runtime/colours.ts'
import type { Terminal } from '../runtime/terminal.ts'

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const

export interface NodeLog extends Logger {
  /** Whether lines are formatted for humans. */
  readonly pretty: boolean
}

export function createLog(config: Config, json: boolean, terminal: Terminal): NodeLog {
  const { logFormat, logLevel } = config
  const auto = terminal.interactive ? 'pretty' : 'json'
  const format = json ? 'json' : logFormat === 'auto' ? auto : logFormat
  if (format === 'pretty') return prettyLog(logLevel, terminal)
  const log = pino({ level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime })
  return {
    pretty: false,
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}

export function clockTime(instant: Date = new Date()): string {
  return instant.toTimeString().slice(0, 8)
}

function prettyLog(minimum: Config['logLevel'], { line, colors }: Terminal): NodeLog {
  const write = (level: keyof Logger) => (fields: object, message: string) => {
    if (levels.indexOf(level) < levels.indexOf(minimum)) return
    const word = colourOf(colors, level)(level.padEnd(9))
    line(`${colors.dim(clockTime())}  ${word}  ${message}${extras(fields, colors)}`)
    const { err } = fields as { err?: unknown }
    if (minimum === 'debug' && err instanceof Error) line(colors.dim(err.stack ?? ''))
  }
  return {
    pretty: true,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
}

function colourOf(colors: Colors, level: keyof Logger): (text: string) => string {
  return { debug: colors.dim, info: colors.cyan, warn: colors.yellow, error: colors.red }[level]
}

/** Omits errors, whose text is already in the message. */
function extras(fields: object, colors: Colors): string {
  const shown = Object.entries(fields).filter(([name]) => name !== 'err' && name !== 'where')
  if (shown.length === 0) return ''
  const text = shown.map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return colors.dim(` ${text.join(' ')}`)
}
