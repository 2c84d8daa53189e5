/** Tables without frames, that fit the terminal by shortening their last column. */
import Table from 'cli-table3'
import type { Terminal } from './terminal.ts'

export type Cell = string | number
const GAP = 2

const frameless = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
}

export function showTable(
  { line, width, colors }: Terminal,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  const texts = rows.map((row) => row.map((cell) => oneLine(String(cell))))
  const table = new Table({
    chars: frameless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    head: head.map((title) => colors.bold(title)),
  })
  const lastMax = width - widthOfOthers(head, texts)
  for (const row of texts) table.push(row.map((text, i) => shorten(text, i, row.length, lastMax)))
  for (const text of table.toString().split('\n')) line(text.trimEnd())
}

function widthOfOthers(head: readonly string[], rows: readonly (readonly string[])[]): number {
  return head
    .slice(0, -1)
    .map((title, i) => Math.max(title.length, ...rows.map((row) => visible(row[i] ?? '').length)))
    .reduce((sum, columns) => sum + columns + GAP, 0)
}

function shorten(text: string, index: number, columns: number, max: number): string {
  const least = Math.max(max, 12)
  if (index < columns - 1 || visible(text).length <= least) return text
  return `${visible(text).slice(0, least - 1)}…`
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ⏎ ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const COLOUR = /\u001b\[\d+m/g

function visible(text: string): string {
  return text.replace(COLOUR, '')
}
