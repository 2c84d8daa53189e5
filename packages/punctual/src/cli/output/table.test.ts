import picocolors from 'picocolors'
import { expect, test } from 'vitest'
import type { Terminal } from '../runtime/terminal.ts'
import { showTable } from './table.ts'

function tableAt(width: number, options: { colours?: boolean } = {}): string[] {
  const lines: string[] = []
  const colors = picocolors.createColors(options.colours ?? false)
  const terminal = { width, colors, line: (text: string) => lines.push(text) }
  showTable(
    terminal as unknown as Terminal,
    ['ID', 'STATE', 'QUEUE', 'MESSAGE'],
    [
      ['0001', colors.red('dead'), 'default', 'first line\n  second line of a long message'],
      ['0002', colors.green('succeeded'), 'default', ''],
    ],
    ['QUEUE'],
  )
  return lines
}

test('without a terminal a table is as wide as its content, with one line per row', () => {
  expect(tableAt(Number.POSITIVE_INFINITY)).toEqual([
    'ID    STATE      QUEUE    MESSAGE',
    '0001  dead       default  first line ⏎ second line of a long message',
    '0002  succeeded  default',
  ])
})

test('a narrow terminal shortens the last column', () => {
  expect(tableAt(40)[1]).toBe('0001  dead       default  first line ⏎ …')
})

test('a very narrow terminal drops the optional columns', () => {
  expect(tableAt(30)).toEqual([
    'ID    STATE      MESSAGE',
    '0001  dead       first line ⏎…',
    '0002  succeeded',
  ])
})

test('colour codes do not count towards the width', () => {
  const plain = tableAt(60)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  expect(tableAt(60, { colours: true }).map((line) => line.replace(/\u001b\[\d+m/g, ''))).toEqual(
    plain,
  )
})
