/**
 * Fills the markers of a page. `<!-- options of submit -->` is followed by the whole table,
 * `<!-- options of job: cron every -->` by these rows, and `<!-- options of job: others -->` by the
 * rows that no marker of the page names, so that a new option is documented. `flags of` lists the
 * flags instead. The text between a marker and `<!-- end -->` is replaced.
 */
import { jobOptions } from '@punctual/core/job'
import { runOptions } from '@punctual/core/submit'
import { targetKinds } from '@punctual/core/target'
import { flagTable, optionTable } from './render-tables.mjs'

/** The flags of `submit`, which takes a handler; `run` takes a target. */
const { target, ...submission } = runOptions

/** The tables, by their name in a marker. */
const tables = {
  submit: runOptions,
  submission,
  target: { target },
  job: jobOptions,
  misfire: jobOptions.misfire.kind.form.members,
  ...Object.fromEntries(Object.entries(targetKinds).map(([kind, { members }]) => [kind, members])),
}

const BLOCK = /^<!-- (options|flags) of (\w+)(?:: ([\w. ]+))? -->\n[\s\S]*?^<!-- end -->$/gm

/** `page` is its path below `docs`. `known` replaces the tables in tests. */
export function fillPage(page, text, known = tables) {
  const blocks = [...text.matchAll(BLOCK)]
  return text.replace(BLOCK, (block, what, table, names) => {
    const marker = block.slice(0, block.indexOf('\n'))
    const rows = what === 'flags' ? known[table] : rowsOf(known[table], names, named(blocks, table))
    const filled = what === 'flags' ? flagTable(rows) : optionTable(rows, page)
    return `${marker}\n${filled}\n<!-- end -->`
  })
}

/** The rows that markers of the page name. */
function named(blocks, table) {
  return blocks.flatMap(([, , of, names]) => (of === table && names ? names.split(' ') : []))
}

/** The rows by the name that is shown; `dst.gap` is a member of `dst`. */
function rowsOf(table, names, claimed) {
  if (names === undefined) return table
  const chosen =
    names === 'others'
      ? Object.keys(table).filter((name) => !isNamed(claimed, name))
      : names.split(' ')
  return Object.fromEntries(chosen.map((name) => [name, rowOf(table, name)]))
}

function isNamed(claimed, option) {
  return claimed.some((name) => name === option || name.startsWith(`${option}.`))
}

function rowOf(table, path) {
  const [name, member] = path.split('.')
  const row = member === undefined ? table[name] : table[name]?.kind.form.members[member]
  if (!row) throw new Error(`${path} is not an option.`)
  return row
}
