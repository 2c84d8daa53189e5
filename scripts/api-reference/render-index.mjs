/** The index page: the other pages, and every name. */
import { GENERATED } from './render-page.mjs'
import { firstSentence } from './render-text.mjs'

export function renderIndex(pages, { exported }) {
  const fileOf = new Map(pages.flatMap(({ file, names }) => names.map((name) => [name, file])))
  const places = pages.map(({ file, title, about }) => `- [${title}](${file}): ${lead(about)}`)
  const items = [...exported.values()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
  const rows = items.map(({ name, comment }) => {
    const link = `${fileOf.get(name)}#${name.toLowerCase()}`
    return `| [\`${name}\`](${link}) | ${firstSentence(comment.summary).replaceAll('|', '\\|')} |`
  })
  return `${GENERATED}

# API reference

Everything that \`punctual\` and \`punctual/testing\` export: signatures, options, defaults and limits.
The [guides](../../README.md) explain how to use it; [Errors](../errors.md) explains every error code.

${places.join('\n')}

## Every name

| name | description |
| --- | --- |
${rows.join('\n')}
`
}

function key({ name }) {
  return name.toLowerCase()
}

/** The first sentence, in lower case for use after a colon. */
function lead(text) {
  const [first] = text.split(/(?<=\.) /)
  return `${first[0].toLowerCase()}${first.slice(1)}`
}
