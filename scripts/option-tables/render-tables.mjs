/** Renders options and their flags as tables of Markdown. */
import { posix } from 'node:path'
import { flagsOf } from '../../packages/punctual/src/cli/flags/option-flags.ts'

/** The options of these rows; `page` is the path below `docs` of the page that links are on. */
export function optionTable(rows, page) {
  const cells = Object.entries(rows).map(([name, row]) => [
    `\`${name}\``,
    defaultOf(row),
    linksFrom(page, row.guide ?? row.help),
  ])
  return tableOf(['option', 'default', 'meaning'], cells)
}

/** The flags of these options, and of the members of these options. */
export function flagTable(rows) {
  const cells = flagsOf(rows).map(({ flag, help, default: value, choices, required }) => [
    `\`${flag}\``,
    choices === null ? help : `${help}: ${choices.map((choice) => `\`${choice}\``).join(', ')}`,
    required ? 'required' : (value ?? ''),
  ])
  return tableOf(['flag', 'meaning', 'default'], cells)
}

function defaultOf({ required, default: value, defaultShown }) {
  if (required) return 'required'
  return defaultShown ?? (value === undefined ? '' : `\`${value}\``)
}

/** Rows of the tables link from the folder `docs`. */
function linksFrom(page, text) {
  return text.replace(/\]\(([\w/.-]+\.md)(#[\w-]+)?\)/g, (_, target, anchor = '') => {
    const path = target === page ? '' : posix.relative(posix.dirname(page), target)
    return `](${path}${anchor})`
  })
}

/** Leaves out a column that is empty in every row. */
function tableOf(headings, rows) {
  const shown = headings.flatMap((_, i) => (rows.some((row) => row[i] !== '') ? [i] : []))
  const line = (cells) => `| ${shown.map((i) => cells[i].replaceAll('|', '\\|')).join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)]
    .join('\n')
    .replaceAll('|  |', '| |')
}
