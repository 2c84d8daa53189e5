/** Checks that parsing JSON text into JavaScript values changes nothing. */
import { PunctualError } from '../errors/errors.ts'
import { limits } from '../errors/limits.ts'
import { encodeJson } from './json-value.ts'

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const BRACKET = 0x5b
const BRACE = 0x7b

function refuse(field: string, what: string): never {
  throw new PunctualError('invalid_payload', `${field} ${what}`, { field })
}

function refuseDepth(field: string): never {
  throw new PunctualError(
    'payload_too_deep',
    `${field} is nested deeper than ${limits.payloadDepth} levels. Flatten it, or store it elsewhere and pass a reference.`,
    { field },
  )
}

/** Parses the text; refuses it when a number or a key would be lost. */
export function checkJsonText(
  text: string,
  field = 'payload',
  maxBytes: number = limits.payloadBytes,
  /** Whether the whole value is stored; otherwise the caller checks the parts that it stores. */
  stored = true,
): unknown {
  if (text.length > maxBytes)
    throw new PunctualError(
      'payload_too_large',
      `${field} has at least ${text.length} bytes; the limit is ${maxBytes}. Store it elsewhere and pass a reference, or raise the limit.`,
      { field },
    )
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new PunctualError(
      'invalid_payload',
      `${field} is not JSON: ${(cause as Error).message}`,
      { field, cause },
    )
  }
  try {
    // Most text is written by a program, without spaces: if it is written back the same, nothing
    // was lost.
    if (stored && encodeJson(value, field, maxBytes) === text) return value
    if (!stored && isShallow(text) && JSON.stringify(value) === text) return value
  } catch (error) {
    checkTokens(text, field)
    throw error
  }
  checkTokens(text, field)
  return value
}

/** Whether the number of brackets alone rules out too deep a nesting. */
function isShallow(text: string): boolean {
  let opened = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code === BRACKET || code === BRACE) && ++opened > limits.payloadDepth) return false
  }
  return true
}

/** Walks text that is known to be JSON once, token by token. */
function checkTokens(text: string, field: string): void {
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = stringEnd(text, at)
      const names = open.at(-1)
      if (names && isName(text, end)) addName(names, text.slice(at, end), field)
      at = end
    } else if (code === MINUS || isDigit(code)) {
      NUMBER.lastIndex = at
      const [number] = NUMBER.exec(text) as RegExpExecArray
      checkNumber(number, field)
      at += number.length
    } else {
      const character = text[at++]
      if (character === '{') open.push(new Set())
      else if (character === '[') open.push(null)
      else if (character === '}' || character === ']') open.pop()
      if (open.length > limits.payloadDepth) refuseDepth(field)
    }
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function stringEnd(text: string, start: number): number {
  let at = start + 1
  for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at))
    at += code === BACKSLASH ? 2 : 1
  return at + 1
}

/** In JSON only a name is followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at++
  return text[at] === ':'
}

function addName(names: Set<string>, quoted: string, field: string): void {
  const name: string = JSON.parse(quoted)
  if (names.has(name))
    refuse(
      field,
      `holds the name ${JSON.stringify(name.slice(0, 80))} twice in one object; only the last would be kept. Remove one.`,
    )
  names.add(name)
}

/**
 * Splits a decimal number into its sign, its digits without outer zeros, and the power of ten of
 * the last digit.
 */
function decimal(text: string) {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const all = (whole + fraction).replace(/^0+/, '')
  let end = all.length
  while (all[end - 1] === '0') end--
  const digits = all.slice(0, end)
  const power =
    digits === '' ? 0 : Number(exponent) - fraction.length + (all.length - digits.length)
  return { digits, power, text: `${sign}${digits}e${power}` }
}

/**
 * Accepts a number that is written back as the same decimal number, and a fraction that a program
 * printed in full (0.10000000000000001): it is parsed as exactly that double.
 */
function checkNumber(token: string, field: string): void {
  const number = Number(token)
  if (String(number) === token) return
  const written = decimal(token)
  if (Number.isFinite(number)) {
    if (written.text === decimal(String(number)).text) return
    const { length } = written.digits
    const isFraction = written.power < 0 && length >= 1 && length <= 17
    if (isFraction && written.text === decimal(number.toPrecision(length)).text) return
  }
  refuse(
    field,
    `holds the number ${token.slice(0, 40)}, which JavaScript would change. Send it as a string.`,
  )
}
