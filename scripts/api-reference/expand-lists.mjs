/**
 * Replaces types derived from a constant by their values: `(typeof roles)[number]` tells a reader
 * nothing, and `'api' | 'planner' | …` does.
 */
import { nameOf } from './declarations.mjs'

/** Returns the tokens with each such type replaced by its values. */
export function expandLists(tokens, { exported, hidden }) {
  const found = tokens.findIndex((token, i) => {
    const before = tokens[i - 1]?.text ?? ''
    return nameOf(token) !== undefined && /\(?(?:keyof )?typeof $/.test(before)
  })
  if (found < 0) return tokens
  const constant = tokens[found]
  const name = nameOf(constant)
  const declared = hidden.get(name) ?? exported.get(name)
  const values = declared?.kind === 'Variable' ? valuesOf(declared) : undefined
  if (values === undefined) return tokens
  const before = tokens[found - 1].text.replace(/\(?(?:keyof )?typeof $/, '')
  const after = (tokens[found + 1]?.text ?? '').replace(/^\)\[number\]/, '')
  const content = { kind: 'Content', text: before + values.join(' | ') + after }
  const rest = expandLists(tokens.slice(found + 2), { exported, hidden })
  return [...tokens.slice(0, found - 1), content, ...rest]
}

/** The items of a list, or the keys of an object. */
function valuesOf({ excerptTokens }) {
  const text = excerptTokens.map((token) => token.text).join('')
  const list = /readonly \[([^\]]*)\]/.exec(text)
  if (list) return list[1].split(',').map((value) => value.trim().replaceAll('"', "'"))
  const keys = [...text.matchAll(/^ {4}readonly ['"]?([\w-]+)['"]?:/gm)].map(
    ([, key]) => `'${key}'`,
  )
  return keys.length > 0 ? keys : undefined
}
