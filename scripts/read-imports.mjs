/**
 * Reads the imports of a package's sources from their text, without a parser: comments are removed
 * and strings replaced by their number first, so that only real imports and calls are found.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const TEST_FILE = /(^|[\\/])test[\\/]|\.test\.[cm]?tsx?$/
const SOURCE_FILE = /\.[cm]?[jt]sx?$/

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[^]*?\*\/)`,
    String.raw`(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`,
    String.raw`(?<template>\`(?:\\[^]|\$\{(?:[^{}\`]|\{[^{}]*\}|\`[^\`]*\`)*\}|[^\`\\])*\`)`,
    String.raw`(?<=(?:[=(,:[!&|?{};]|return)\s*)(?<regex>\/(?![*\/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n[])+\/)`,
  ].join('|'),
  'g',
)
/** Matched after tokenize, which replaces each string by its number in double quotes. */
const IMPORT =
  /\b(?:import|export)\b[^;"()=]*?\bfrom\s*"(\d+)"|\bimport\s*"(\d+)"|\bimport\s*\(\s*"(\d+)"/g

/** Whether a path inside a package belongs to its tests. */
export function isTest(path) {
  return TEST_FILE.test(path)
}

/** Every source of a package with its bare code and its imports; `to` is set for relative ones. */
export function* readSources(folder) {
  for (const file of sourceFiles(folder)) {
    const { code, strings } = tokenize(readFileSync(file, 'utf8'))
    const imports = [...code.matchAll(IMPORT)].map((match) => {
      const specifier = strings[Number(match[1] ?? match[2] ?? match[3])]
      const line = lineAt(code, match.index + match[0].length)
      const to = specifier.startsWith('.') ? resolveFile(file, specifier) : undefined
      return { specifier, line, to }
    })
    yield { file, code, imports }
  }
}

function tokenize(source) {
  const strings = []
  const code = source.replace(TOKEN, (token, ...rest) => {
    const { comment, string, template } = rest.at(-1)
    if (comment) return token.replace(/[^\n]/g, ' ')
    if (string) return `"${strings.push(token.slice(1, -1)) - 1}"`
    if (template && !template.includes('${')) {
      return `"${strings.push(token.slice(1, -1)) - 1}"${token.replace(/[^\n]/g, '')}`
    }
    // Only the expressions of a template are code.
    if (template) return token.replace(/\$\{([^}]*)\}|[^\n]/g, (_, inner) => `${inner ?? ''} `)
    return ' '
  })
  return { code, strings }
}

function* sourceFiles(folder) {
  for (const part of ['src', 'bin'].filter((name) => existsSync(join(folder, name)))) {
    for (const entry of readdirSync(join(folder, part), { recursive: true }).sort()) {
      const file = join(folder, part, entry)
      if (SOURCE_FILE.test(file) && !isTest(relative(folder, file))) yield file
    }
  }
}

/** `./x.js` may refer to `./x.ts`. */
function resolveFile(from, specifier) {
  const path = resolve(dirname(from), specifier)
  const typescript = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2')
  return existsSync(typescript) ? typescript : path
}

export function lineAt(code, index) {
  return code.slice(0, index).split('\n').length
}
