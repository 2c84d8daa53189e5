/**
 * The declarations of the entry points by name: exported ones with their page, and hidden ones that
 * exported declarations mention.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readComment } from './read-comment.mjs'

/** Reads the entries of extract.mjs. `folder` is the package, whose sources give the member order. */
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
    .filter((member) => member.releaseTag !== 'Internal')
    .map((member) => ({
      ...member,
      owner: item.name,
      comment: readComment(member.docComment ?? ''),
    }))
  const ordered = item.fileUrlPath ? inSourceOrder(members, item, folder) : members
  return { ...item, module, comment: ownComment(item), members: ordered }
}

/** Removes the remark that api-extractor adds to classes with an internal constructor. */
function ownComment({ docComment = '' }) {
  const { remarks, ...comment } = readComment(docComment)
  return remarks?.startsWith('The constructor for this class is marked')
    ? comment
    : { ...comment, remarks }
}

/** Authors order members by meaning; api-extractor orders them by name. */
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

/** The name that a token refers to, when the package declares it. */
export function nameOf({ kind, canonicalReference = '' }) {
  if (kind !== 'Reference') return undefined
  return /^punctual!~?(\w+):/.exec(canonicalReference)?.[1]
}
