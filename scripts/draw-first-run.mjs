#!/usr/bin/env node
/**
 * Draws the terminal of `npm start` as docs/images/first-run.svg: `npm run docs:picture`. It runs the built program
 * on an embedded PostgreSQL in a temporary folder, waits for the summary, and draws what was printed, so that the
 * picture shows what a reader will see.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'packages/punctual/bin/punctual.js')
const target = join(root, 'docs/images/first-run.svg')
const COLUMNS = 100
const DEADLINE_MS = 120_000
const [CHAR_WIDTH, LINE_HEIGHT, PADDING] = [8.4, 19, 20]
const COLOURS = {
  ...{ 31: '#f47067', 32: '#6bc46d', 33: '#daaa3f', 34: '#6cb6ff' },
  ...{ 35: '#dcbdfb', 36: '#76e3ea', 90: '#768390' },
}

/** Splits a line: what it captures, the codes of a colour, has the odd places. */
const COLOUR_SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`)

const folder = mkdtempSync(join(tmpdir(), 'punctual-picture-'))
try {
  const output = await record()
  mkdirSync(join(root, 'docs/images'), { recursive: true })
  writeFileSync(target, draw(output))
  console.log('docs/images/first-run.svg is written')
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** The program's output up to the summary, without the machine's paths and ports. */
async function record() {
  const port = await freePort()
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(PUNCTUAL_|DATABASE_URL$)/.test(name),
  )
  // `script` of util-linux gives the program a terminal; without one it prints JSON.
  const start = `stty cols ${COLUMNS} && exec "${process.execPath}" "${bin}" start --sample --port ${port}`
  const child = spawn('script', ['-qec', start, '/dev/null'], {
    cwd: folder,
    env: { ...Object.fromEntries(environment), TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  const summary = new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no summary:\n${output}`)), DEADLINE_MS)
    child.stdout.on('data', (data) => {
      output += data
      if (!/Summary: [^\n]*\n/.test(output)) return
      clearTimeout(late)
      resolve()
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${output}`)))
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    await summary
  } finally {
    child.stdin.write('\u0003')
    await ended
  }
  const text = output.replaceAll('\r', '')
  return text
    .slice(0, text.indexOf('\n', text.indexOf('Summary:')))
    .replaceAll(`:${port}`, ':7070')
    .replace(/punctual_[\w-]{20,}/g, (key) => `${key.slice(0, 16)}…`)
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

function draw(output) {
  const lines = ['$ npm start', ...output.split('\n')]
  const width = Math.ceil(COLUMNS * CHAR_WIDTH + 2 * PADDING)
  const height = lines.length * LINE_HEIGHT + 2 * PADDING
  const rows = lines.map((line, n) => {
    const y = PADDING + (n + 0.75) * LINE_HEIGHT
    return `<text x="${PADDING}" y="${y.toFixed(1)}" xml:space="preserve">${spans(line)}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The output of npm start">`,
    `<rect width="100%" height="100%" rx="8" fill="#1c2128"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#cdd9e5">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

/** The SGR sequences of one line as spans; text beyond the width of the terminal is cut. */
function spans(line) {
  let style = {}
  let left = COLUMNS
  let drawn = ''
  for (const [n, part] of line.split(COLOUR_SEQUENCE).entries()) {
    if (n % 2 === 1) {
      for (const code of part.split(';').map(Number)) style = styled(style, code)
      continue
    }
    const text = part.length > left ? `${part.slice(0, left - 1)}…` : part
    left -= text.length
    if (text === '') continue
    const { fill, bold, dim } = style
    const attributes =
      (fill ? ` fill="${fill}"` : '') +
      (bold ? ' font-weight="bold"' : '') +
      (dim ? ' opacity="0.6"' : '')
    drawn += attributes === '' ? escaped(text) : `<tspan${attributes}>${escaped(text)}</tspan>`
    if (left <= 0) break
  }
  return drawn
}

function styled(style, code) {
  if (code === 0) return {}
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 39) return { ...style, fill: undefined }
  return COLOURS[code] === undefined ? style : { ...style, fill: COLOURS[code] }
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
