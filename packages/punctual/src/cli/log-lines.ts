/** A run's own log lines, as `runs logs` and `runs tail` print them. */
import type { LogLine } from '@punctual/core'
import type { Terminal } from './terminal.ts'

export function printLogLine(terminal: Terminal, line: LogLine, json: boolean): void {
  if (json) {
    terminal.json(line, { streaming: true })
    return
  }
  const { colors } = terminal
  const colour = { debug: colors.dim, info: colors.cyan, warn: colors.yellow, error: colors.red }
  const data = line.data === null ? '' : ` ${colors.dim(JSON.stringify(line.data))}`
  const attempt = colors.dim(`#${line.attempt}`)
  terminal.line(
    `${line.at.toISOString()} ${attempt} ${colour[line.level](line.level.padEnd(5))} ${line.message}${data}`,
  )
}
