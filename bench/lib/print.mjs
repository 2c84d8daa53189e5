/** Prints a report as plain text for humans or as a Markdown section for docs. */

export function toText({ scenario, rows, skipped, bars, settings, limits }) {
  return [
    '',
    `${scenario.name}: ${scenario.what}`,
    '',
    ...alignedTable(rows),
    '',
    ...skipped,
    ...bars.map(({ rule, value, pass }) => `${verdict(pass)}  ${rule}: ${value}`),
    '',
    'bottleneck',
    ...limits.map((line) => `  ${line}`),
    'settings',
    ...settings.map((line) => `  ${line}`),
    '',
  ].join('\n')
}

export function toMarkdown({ scenario, rows, skipped, bars, settings, limits }) {
  const headers = headersOf(rows)
  return [
    `## ${scenario.name}`,
    '',
    `${capital(scenario.what)}.`,
    '',
    markdownRow(headers),
    markdownRow(headers.map(() => '---')),
    ...rows.map((row) => markdownRow(headers.map((header) => row[header] ?? ''))),
    '',
    ...skipped.map((line) => `- ${line}`),
    ...bars.map(({ rule, value, pass }) => `- **${verdict(pass).trim()}** ${rule}: ${value}`),
    '',
    'Bottleneck:',
    '',
    ...limits.map((line) => `- ${line}`),
    '',
    `Settings: ${settings.join('; ')}.`,
    '',
  ].join('\n')
}

const verdict = (pass) => (pass === null ? '  --' : pass ? 'pass' : 'FAIL')
const capital = (text) => text[0].toUpperCase() + text.slice(1)
const markdownRow = (cells) => `| ${cells.join(' | ')} |`
const headersOf = (rows) => [...new Set(rows.flatMap((row) => Object.keys(row)))]

function alignedTable(rows) {
  const headers = headersOf(rows)
  const lines = [headers, ...rows.map((row) => headers.map((header) => row[header] ?? ''))]
  const widths = headers.map((_, i) => Math.max(...lines.map((line) => line[i].length)))
  const print = (line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd()
  return [
    print(headers),
    widths.map((width) => '─'.repeat(width)).join('  '),
    ...lines.slice(1).map(print),
  ]
}
