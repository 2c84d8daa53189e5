/**
 * Reads a statement from its file and expands it: a line `-- include: <part>` becomes the text of
 * `queries/parts/<part>.sql` without its header, and names of constants become their values.
 * `npm run sql <statement>` prints the result, which pastes into psql.
 */
import { readFileSync } from 'node:fs'
import { withConstants } from './constants.ts'

const root = new URL('../../queries/', import.meta.url)
const INCLUDE = /^( *)-- include: ([\w/-]+)$/gm
/** The comment lines at the top of a file. */
const HEADER = /^(?:--.*\n)+/

/** `path` is `<aggregate>/<verb>-<noun>`. */
export function readStatement(path: string): string {
  return withConstants(expanded(read(path)))
}

/** A part may include other parts. */
function expanded(sql: string): string {
  return sql.replaceAll(INCLUDE, (_, indent: string, part: string) =>
    indented(expanded(read(`parts/${part}`).replace(HEADER, '').trimEnd()), indent),
  )
}

function read(path: string): string {
  return readFileSync(new URL(`${path}.sql`, root), 'utf8')
}

function indented(text: string, indent: string): string {
  return text.replaceAll(/^(?=.)/gm, indent)
}
