/** The text of comments as Markdown. */

/** Links names of the reference, also in `{@link}`, and joins lines. */
export function linkedText(text, { linkTo, own, exported }) {
  const link = (name, shown) =>
    exported.has(name) && name !== own ? `[${shown}](${linkTo(name)})` : shown
  return joined(text)
    .replace(/\{@link (\w+)(?:\s*\|\s*([^}]+))?\}/g, (_, name, shown) =>
      link(name, shown ?? `\`${name}\``),
    )
    .replace(/(?<!\[)`(\w+)`(?!\])/g, (shown, name) => link(name, shown))
    .replace(/\bdocs\/([\w/-]+\.md)/g, '[$&](../../$1)')
}

/** Joins the lines of each paragraph and list item. */
function joined(text) {
  return text.replace(/(?<!\n)\n(?!\n|- )/g, ' ')
}

/** A comment in a cell of a table. */
export function tableCell({ summary, remarks }, context) {
  return [summary, remarks]
    .filter((part) => part !== undefined)
    .map((part) => linkedText(part, context).replace(/\n+(?:- )?/g, '<br>'))
    .join('<br>')
    .replaceAll('|', '\\|')
}

/** A value is shown as code; a phrase is not. */
export function defaultText(text = '') {
  const isValue = /^(?:-?[\d.]+|true|false|null|'[^']*'|\[.*\])$/.test(text)
  return isValue ? `\`${text}\`` : joined(text).replaceAll('|', '\\|')
}

/** The first sentence of a text, for lists. */
export function firstSentence(text) {
  const flat = joined(text).split('\n')[0] ?? ''
  return /^.*?[.:](?=\s+[A-Z`]|$)/.exec(flat)?.[0].replace(/:$/, '.') ?? flat
}
