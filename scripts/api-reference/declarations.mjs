/**
 * What the entry points declare, by name: what is exported, with the page that it stands on, and what exported things
 * mention without being exported themselves.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readComment } from './read-comment.mjs'

/** Reads entry points as extract.mjs gives them. `folder` is the package, from which sources are read. */
export function readDeclarations(entries, folder) {
  const exported = new Map()
  const hidden = new Map()
  for (const { module, items } of entries)
    for (const item of items) {
      const isHidden = item.canonicalReference.includes('!~')
      const target = isHidden ? hidden : exported
      if (!target.has(item.name)) target.set(item.name, toDeclaration(item, module, folder))
    }
  return { exported, hidden }
}

function toDeclaration(item, module, folder) {
  const members = (item.members ?? [])
    .filter((it) => it.releaseTag !== 'Internal')
    .map((it) => ({ ...it, owner: item.name, comment: readComment(it.docComment ?? '') }))
  const ordered = item.fileUrlPath ? inSourceOrder(members, item, folder) : members
  return { ...item, module, comment: ownComment(item), members: ordered }
}

/** api-extractor adds a remark where a constructor is internal. */
function ownComment({ docComment = '' }) {
  const { remarks, ...comment } = readComment(docComment)
  return remarks?.startsWith('The constructor for this class is marked')
    ? comment
    : { ...comment, remarks }
}

/** Authors order members by meaning; api-extractor by name. */
function inSourceOrder(members, { name, fileUrlPath }, folder) {
  const source = readFileSync(join(folder, fileUrlPath), 'utf8')
  const [start] = [...source.matchAll(new RegExp(`\\b(?:interface|class) ${name}\\b`, 'g'))]
  if (start === undefined) return members
  const text = source.slice(start.index)
  const place = ({ name: member, overloadIndex = 0 }) => {
    const words = '(?:(?:readonly|static|async|override|get) )*'
    const at = text.search(new RegExp(`^  ${words}${escapeRegExp(member ?? '')}[?(<:! ]`, 'm'))
    return (at < 0 ? text.length : at) + overloadIndex / 100
  }
  return members.toSorted((a, b) => place(a) - place(b))
}

function escapeRegExp(text) {
  return text.replaceAll('"', "'").replace(/[$.*+?^()|[\]{}\\]/g, '\\$&')
}

/** The name that a token refers to, where it is one of ours. */
export function nameOf({ kind, canonicalReference = '' }) {
  if (kind !== 'Reference') return undefined
  return /^punctual!~?(\w+):/.exec(canonicalReference)?.[1]
}
