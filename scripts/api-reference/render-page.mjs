/** One page of the reference: for each name its comment, its properties as a table and its methods with examples. */
import { expandLists } from './expand-lists.mjs'
import { called, first } from './pages.mjs'
import { defaultText, linkedText, tableCell } from './render-text.mjs'
import {
  declarationText,
  linkedType,
  methodTokens,
  signature,
  textOf,
  tokensIn,
  typeTokens,
} from './render-type.mjs'

export const GENERATED =
  '<!-- Made by `npm run docs:api` from the comments in the sources: edit those, not this file. -->'

export function renderPage(page, reference) {
  const context = { ...reference, linkTo: (name) => reference.linkFrom(page, name) }
  const items = page.names.map((name) => reference.exported.get(name))
  const contents = items.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(' · ')
  const parts = [
    GENERATED,
    `# ${page.title}`,
    page.about,
    `Exported by \`${items[0].module}\`: ${contents}.`,
    ...items.flatMap((item) => renderItem(item, { ...context, own: item.name })),
  ]
  return `${parts.join('\n\n')}\n`
}

function renderItem(item, context) {
  const { comment, kind } = item
  const isObject = kind === 'Interface' || kind === 'Class'
  return [
    `## ${item.name}`,
    linkedText(comment.summary, context),
    ...(isObject ? typeParameters(item) : declaration(item, context)),
    ...blocks(comment, context),
    ...comment.examples,
    ...(isObject ? renderMembers(item, context) : []),
  ]
}

/** What a generic type is given. */
function typeParameters(item) {
  if (!item.typeParameters?.length) return []
  return [
    code([
      textOf(item.excerptTokens)
        .replace(/^export (?:declare )?/, '')
        .trim(),
    ]),
  ]
}

/** A type alias, a function or a constant, as it is declared. */
function declaration(item, context) {
  const text =
    item.kind === 'Function'
      ? signature(item)
      : declarationText(expandLists(item.excerptTokens, context))
  return [code([text]), ...namesIn([item], context)]
}

function renderMembers(item, context) {
  const { properties, methods, calls } = sorted(item, context)
  const plain = item.kind === 'Interface' ? methods.filter(isPlain) : []
  const rows = [
    ...properties.map((it) => propertyRow(it, context)),
    ...plain.flat().map((it) => methodRow(it, context)),
  ]
  const others = methods.filter((group) => !plain.includes(group))
  const list = others.map(([it]) => `[${it.name ?? 'new'}](#${anchorOf(headingOf(it, item))})`)
  return [
    ...bases(item, context),
    ...(list.length > 3 ? [`Methods: ${list.join(' · ')}.`] : []),
    ...(rows.length > 0 ? [table(rows)] : []),
    ...calls.flatMap((it) => renderCall(it, context)),
    ...others.flatMap((group) => renderMethod(group, item, context)),
  ]
}

function sorted({ name, members }, { exported }) {
  const groups = new Map()
  const properties = []
  for (const it of members) {
    const isMethod = !/^Property/.test(it.kind) || functionType(it, exported) !== undefined
    if (!isMethod) properties.push(it)
    else groups.set(it.name ?? it.kind, [...(groups.get(it.name ?? it.kind) ?? []), it])
  }
  const { CallSignature: calls = [], ...methods } = Object.fromEntries(groups)
  const place = ([{ name: it }]) => (first[name]?.indexOf(it) ?? -1) + 1 || members.length
  return {
    properties,
    calls,
    methods: Object.values(methods).toSorted((a, b) => place(a) - place(b)),
  }
}

/** The type of a property that is called as a method: `punctual.on`. */
function functionType(item, exported) {
  if (item.propertyTypeTokenRange === undefined) return undefined
  const type = exported.get(textOf(tokensIn(item, item.propertyTypeTokenRange)))
  if (type?.members.some(({ kind }) => kind === 'CallSignature')) return type
  return type?.name === 'Unlisten' ? type : undefined
}

/** A method that a row of a table tells all of. */
function isPlain([it, ...more]) {
  const { params = [], throws, examples } = it.comment
  return more.length === 0 && params.length + throws.length + examples.length === 0
}

function bases(item, context) {
  const ranges = [...(item.extendsTokenRanges ?? []), item.extendsTokenRange]
  const types = ranges
    .filter((range) => range && range.endIndex > range.startIndex)
    .map((range) => linkedType(tokensIn(item, range), context.linkTo))
  return types.length > 0 ? [`Has all of ${types.join(' and ')}, and:`] : []
}

function propertyRow(item, context) {
  const name = `\`${item.name.replaceAll('"', "'")}${item.isOptional ? '?' : ''}\``
  const type = linkedType(expandLists(typeTokens(item), context), context.linkTo)
  return [name, type, defaultText(item.comment.default), tableCell(item.comment, context)]
}

function methodRow(item, context) {
  const type = linkedType(methodTokens(item), context.linkTo)
  return [`\`${item.name}()\``, type, '', tableCell(item.comment, context)]
}

/** Without the column of defaults where there are none. */
function table(rows) {
  const hasDefaults = rows.some(([, , given]) => given !== '')
  const pick = (cells) => (hasDefaults ? cells : cells.filter((_, i) => i !== 2))
  const line = (cells) => `| ${pick(cells).join(' | ')} |`
  const head = ['name', 'type', 'default', 'what']
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function headingOf({ kind, name, isStatic }, owner) {
  if (kind === 'Constructor') return `new ${owner.name}()`
  return `${isStatic ? owner.name : called[owner.name]}.${name}()`
}

/** As GitHub makes them. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

/** The overloads of one method. */
function renderMethod(group, owner, context) {
  const type = functionType(group[0], context.exported)
  const shown = type
    ? [`The ways to call it: [${type.name}](${context.linkTo(type.name)}).`]
    : [code(group.map((it) => methodSignature(it, owner))), ...namesIn(group, context)]
  const texts = group.flatMap(({ comment }) => [
    linkedText(comment.summary, context),
    ...blocks(comment, context),
  ])
  const examples = group.flatMap(({ comment }) => comment.examples)
  const heading = `### ${headingOf(group[0], owner)}`
  return [heading, ...shown, ...texts, ...examples, ...examplesOf(type, group[0], owner)]
}

/** Of the type of a property; those that share a type with one before do not repeat them. */
function examplesOf(type, item, { members }) {
  const uses = members.filter((it) => type && textOf(it.excerptTokens).includes(`: ${type.name};`))
  return uses[0] === item ? type.comment.examples : []
}

function methodSignature(item, owner) {
  const text = signature(item)
  return item.kind === 'Constructor' ? text.replace(/^constructor/, `new ${owner.name}`) : text
}

/** One of the ways in which a function type is called. */
function renderCall(item, context) {
  const { comment } = item
  return [
    linkedText(comment.summary, context),
    code([signature(item)]),
    ...namesIn([item], context),
    ...comment.examples,
  ]
}

/** What a comment says beside its summary. */
function blocks(comment, context) {
  const text = (it) => linkedText(it, context)
  const params = comment.params.map(({ name, what }) => `- \`${name}\`: ${text(what)}`)
  return [
    ...(comment.remarks ? [text(comment.remarks)] : []),
    ...(params.length > 0 ? [params.join('\n')] : []),
    ...(comment.returns ? [`**Returns** ${text(comment.returns)}`] : []),
    ...comment.throws.map((it) => `**Throws** ${text(it)}`),
    ...(comment.default ? [`**Default** ${defaultText(comment.default)}`] : []),
    ...comment.see.map((it) => `See ${text(it)}`),
  ]
}

/** Code cannot have links: the names in it follow. */
function namesIn(items, { linkTo, own, exported }) {
  const tokens = items.flatMap(({ excerptTokens }) => excerptTokens)
  const names = new Set(tokens.filter(({ kind }) => kind === 'Reference').map(({ text }) => text))
  const links = [...names]
    .filter((name) => name !== own && exported.has(name))
    .map((name) => `[${name}](${linkTo(name)})`)
  return links.length > 0 ? [links.join(' · ')] : []
}

/** Not `ts`: blocks of that language are programs, which a test compiles. */
function code(texts) {
  return `\`\`\`typescript\n${texts.join('\n')}\n\`\`\``
}
