/**
 * Splits a TSDoc comment into its parts. api-extractor has checked the syntax, and the text is
 * already Markdown.
 */
const TAG = /(?<![`\w{])@(default|param|returns|throws|example|remarks|see|internal)\b[ \t]*/g

/** `params`, `throws` and `examples` are lists; the others are strings or undefined. */
export function readComment(comment) {
  const text = comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/\s*$/, '')
    .replace(/^[ \t]*\* ?/gm, '')
    .trim()
  const [summary, ...blocks] = splitAtTags(text)
  const tagged = (tag) => blocks.filter((block) => block.tag === tag).map((block) => block.text)
  return {
    summary: summary.text,
    default: tagged('default')[0],
    remarks: tagged('remarks')[0],
    returns: tagged('returns')[0],
    params: tagged('param').map(readParam),
    throws: tagged('throws'),
    examples: tagged('example'),
    see: tagged('see'),
  }
}

function splitAtTags(text) {
  const tags = [...text.matchAll(TAG)].filter(({ index }) => !isInFence(text, index))
  const ends = [...tags.map(({ index }) => index), text.length]
  const first = { tag: '', text: text.slice(0, ends[0]).trim() }
  const rest = tags.map((found, i) => ({
    tag: found[1],
    text: text.slice(found.index + found[0].length, ends[i + 1]).trim(),
  }))
  return [first, ...rest]
}

function isInFence(text, index) {
  return (text.slice(0, index).match(/^```/gm)?.length ?? 0) % 2 === 1
}

function readParam(text) {
  const [, name = '', what = ''] = /^(\w+)\s*-\s*([\s\S]*)$/.exec(text) ?? []
  return { name, what }
}
