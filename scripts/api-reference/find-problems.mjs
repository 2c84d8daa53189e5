/** Finds what is missing from the reference: each problem names the place and the fix. */
import { nameOf } from './declarations.mjs'

const SENTENCE = /[.:!?`)…]$/

export function findProblems(declarations, pages) {
  const { exported } = declarations
  const listed = new Map()
  for (const { file, names } of pages)
    for (const name of names) listed.set(name, [...(listed.get(name) ?? []), file])
  return [
    ...[...exported.values()].flatMap((item) => commentProblems(item, item.name)),
    ...[...exported.values()].flatMap((item) => hiddenProblems(item, declarations)),
    ...[...exported.keys()].flatMap((name) => placeProblems(name, listed.get(name) ?? [])),
    ...[...listed.keys()].filter((name) => !exported.has(name)).map(unknownName),
  ]
}

function commentProblems(item, name) {
  const { comment, members = [], parameters = [] } = item
  const problems = []
  if (comment.summary === '') problems.push(`${name} has no comment; say what it is for`)
  else if (!SENTENCE.test(comment.summary))
    problems.push(`${name}: the comment is not a sentence: "${comment.summary.slice(0, 60)}"`)
  for (const param of comment.params)
    if (!parameters.some(({ parameterName }) => parameterName === param.name))
      problems.push(`${name} has no parameter ${param.name}, but its comment does`)
  const inner = members.flatMap((member) => commentProblems(member, memberName(name, member)))
  return [...problems, ...inner]
}

function memberName(owner, { name, overloadIndex = 1 }) {
  if (name === undefined) return `${owner}, call ${overloadIndex}`
  return overloadIndex > 1 ? `${owner}.${name}, overload ${overloadIndex}` : `${owner}.${name}`
}

/** Mentioned types that nothing exports. Constants are left out: their values are shown. */
function hiddenProblems(item, { exported, hidden }) {
  const tokens = [item, ...item.members].flatMap(({ excerptTokens }) => excerptTokens)
  const names = new Set(tokens.map(nameOf).filter((name) => name !== undefined))
  return [...names]
    .filter((name) => !exported.has(name) && hidden.get(name)?.kind !== 'Variable')
    .map((name) => `${item.name} mentions ${name}, which is not exported; export it`)
}

function placeProblems(name, files) {
  if (files.length === 1) return []
  const where = files.length === 0 ? 'on no page' : `on several pages: ${files.join(', ')}`
  return [`${name} is ${where}; list it once in scripts/api-reference/pages.mjs`]
}

function unknownName(name) {
  return `${name} is listed in scripts/api-reference/pages.mjs, but nothing exports it`
}
