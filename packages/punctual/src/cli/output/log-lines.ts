/** Reads and prints the log lines of a run, for `runs show`, `runs logs` and `runs tail`. */
import { limits } from '@punctual/core/errors'
import type { LogLine, LogPosition } from '@punctual/core/run'
import type { OperatedRuns } from '../runtime/operator.ts'
import type { Terminal } from '../runtime/terminal.ts'

/** The last lines of a log, and whether earlier ones exist. */
export async function readLogEnd(runs: OperatedRuns, id: string, count: number) {
  const lines = await runs.logs(id, { last: count + 1 })
  return { lines: lines.slice(-count), earlier: lines.length > count }
}

/** The whole log of a run, or the lines after one, page by page. The log of a run is bounded. */
export async function readLog(
  runs: OperatedRuns,
  id: string,
  after?: LogPosition,
): Promise<LogLine[]> {
  const lines: LogLine[] = []
  for (let from = after; ; from = lines.at(-1)) {
    const page = await runs.logs(id, from ? { after: from } : {})
    lines.push(...page)
    if (page.length < limits.logLinesPerPage) return lines
  }
}

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
