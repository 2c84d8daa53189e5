/** Types and signatures as Markdown: with links in tables, as code in blocks. */
import { nameOf } from './declarations.mjs'

const WIDTH = 100

/** The tokens of a range, `{ startIndex, endIndex }`. */
export function tokensIn({ excerptTokens }, { startIndex, endIndex }) {
  return excerptTokens.slice(startIndex, endIndex)
}

/** The type of a property; for a constant its value. */
export function typeTokens(item) {
  const tokens = tokensIn(item, item.propertyTypeTokenRange)
  if (tokens.length > 0) return tokens
  const [, value = ''] = / = ([^;]+);/.exec(textOf(item.excerptTokens)) ?? []
  return [{ kind: 'Content', text: value.replaceAll('"', "'") }]
}

/** The declaration of a method without its final semicolon. */
export function methodTokens({ excerptTokens }) {
  const last = excerptTokens.at(-1)
  return [...excerptTokens.slice(0, -1), { ...last, text: last.text.replace(/;$/, '') }]
}

/** A type on one line, with links to names of the reference. */
export function linkedType(tokens, linkTo) {
  const parts = tokens.map((token) => {
    const name = nameOf(token)
    const link = name && linkTo(name)
    return link ? `[${name}](${link})` : escapeMarkdown(oneLine(token.text))
  })
  return `<code>${parts.join('').trim()}</code>`
}

export function textOf(tokens) {
  return tokens.map((token) => token.text).join('')
}

function oneLine(text) {
  return text
    .replace(/\/\*\*[\s\S]*?\*\/\s*/g, '')
    .replace(/\{\s+/g, '{ ')
    .replace(/;\s*\}/g, ' }')
    .replace(/\s+/g, ' ')
}

function escapeMarkdown(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[[\]|*_`~\\]/g, '\\$&')
}

/** The signature of a function, with one line per parameter when it is too long for one line. */
export function signature(item) {
  const plain = bare(oneLine(textOf(item.excerptTokens)))
  if (plain.length <= WIDTH) return plain
  const typeOf = (range) => oneLine(textOf(tokensIn(item, range)))
  const lines = item.parameters.map(
    ({ parameterName, parameterTypeTokenRange, isOptional }) =>
      `  ${parameterName}${isOptional ? '?' : ''}: ${typeOf(parameterTypeTokenRange)},`,
  )
  const [first] = item.parameters
  if (first === undefined) return plain
  const head = textOf(item.excerptTokens.slice(0, first.parameterTypeTokenRange.startIndex))
  const name = bare(head.slice(0, head.lastIndexOf('(')))
  return `${name}(\n${lines.join('\n')}\n): ${typeOf(item.returnTypeTokenRange)}`
}

function bare(text) {
  return text.replace(/^(?:export |declare |function |static )*/, '').replace(/;?\s*$/, '')
}

/** A type alias or a constant; a long union has one line per part. */
export function declarationText(tokens) {
  const text = oneLine(textOf(tokens))
    .replace(/^(?:export |declare )*/, '')
    .replace(/;\s*$/, '')
  if (text.length <= WIDTH) return text
  const [head, type] = splitAtTop(text, ' = ')
  if (type === undefined) return text
  const parts = splitAtTop(type, ' => ').length > 1 ? [type] : splitAtTop(type, ' | ')
  const lines = parts.length > 1 ? parts.map((part) => `  | ${part}`) : [`  ${type}`]
  return [`${head} =`, ...lines].join('\n')
}

/** Splits outside brackets. */
function splitAtTop(text, separator) {
  const parts = ['']
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const isArrow = text.startsWith('=>', i - 1)
    if ('([{<'.includes(text[i])) depth++
    else if (')]}>'.includes(text[i]) && !isArrow) depth--
    if (depth === 0 && text.startsWith(separator, i)) {
      parts.push('')
      i += separator.length - 1
    } else parts[parts.length - 1] += text[i]
  }
  return parts
}
