/**
 * Tables without borders that fit the terminal: optional columns are dropped first, then the last
 * column is shortened.
 */
import Table from 'cli-table3'
import type { Terminal } from '../runtime/terminal.ts'

export type Cell = string | number
const GAP = 2
const LAST_MIN = 12

const none = ''
const frameless = {
  top: none,
  'top-mid': none,
  'top-left': none,
  'top-right': none,
  bottom: none,
  'bottom-mid': none,
  'bottom-left': none,
  'bottom-right': none,
  left: none,
  'left-mid': none,
  mid: none,
  'mid-mid': none,
  right: none,
  'right-mid': none,
  middle: none,
}

interface Column {
  readonly title: string
  readonly cells: readonly string[]
}

export function showTable(
  terminal: Terminal,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  /** Columns that a narrow terminal drops, the least important first. */
  optional: readonly string[] = [],
): void {
  const all = head.map((title, i) => ({
    title,
    cells: rows.map((row) => oneLine(String(row[i] ?? ''))),
  }))
  const columns = fitting(all, optional, terminal.width)
  const lastMax = Math.max(LAST_MIN, terminal.width - widthOf(columns.slice(0, -1)))
  const table = new Table({
    chars: frameless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    head: columns.map(({ title }) => terminal.colors.bold(title)),
  })
  for (const [r] of rows.entries())
    table.push(
      columns.map(({ cells }, i) => {
        const cell = cells[r] as string
        return i === columns.length - 1 ? shorten(cell, lastMax) : cell
      }),
    )
  for (const text of table.toString().split('\n')) terminal.line(text.trimEnd())
}

function fitting(all: Column[], optional: readonly string[], width: number): Column[] {
  let columns = all
  for (const title of optional) {
    const rest = columns.slice(0, -1)
    const last = columns.at(-1) as Column
    if (widthOf(rest) + Math.min(LAST_MIN, widthOf([last]) - GAP) <= width) break
    columns = columns.filter((column) => column.title !== title)
  }
  return columns
}

function widthOf(columns: readonly Column[]): number {
  return columns
    .map(({ title, cells }) => Math.max(title.length, ...cells.map((cell) => visible(cell).length)))
    .reduce((sum, characters) => sum + characters + GAP, 0)
}

function shorten(text: string, max: number): string {
  return visible(text).length <= max ? text : `${visible(text).slice(0, max - 1)}…`
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ⏎ ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const COLOUR = /\u001b\[\d+m/g

function visible(text: string): string {
  return text.replace(COLOUR, '')
}
