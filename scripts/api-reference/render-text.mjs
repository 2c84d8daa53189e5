/** The words of comments as Markdown. */

/** Names of the reference lead to where they are explained; `{@link}` does, too. Lines are joined. */
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

/** A paragraph, or an item of a list, is one line. */
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

/** A value is code; a phrase is not. */
export function defaultText(text = '') {
  const isValue = /^(?:-?[\d.]+|true|false|null|'[^']*'|\[.*\])$/.test(text)
  return isValue ? `\`${text}\`` : joined(text).replaceAll('|', '\\|')
}

/** What a text begins with, for lists. */
export function firstSentence(text) {
  const flat = joined(text).split('\n')[0] ?? ''
  return /^.*?[.:](?=\s+[A-Z`]|$)/.exec(flat)?.[0].replace(/:$/, '.') ?? flat
}
