/**
 * Refusals that point at a character. An expression is one line written by hand, so the message
 * shows it with a caret below the error, and `position` has the same index for programs.
 */
import { type ErrorCode, PunctualError } from '../../errors/errors.ts'
import { shown } from '../../errors/failure.ts'

/** A longer cron expression is generated, not written, and would only cost time to refuse. */
const EXPRESSION_LENGTH_MAX = 256

/** The part of an expression that a parser reads; positions always refer to the whole text. */
export interface Span {
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * Characters that are invisible, break the line or change its direction would displace the caret.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu

export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (found) => '·'.repeat(found.length))
}

/** `what` is a sentence without its period: "Expected …; got …". */
export function refuseAt(span: Span, what: string, hint = '', code?: ErrorCode): never {
  const { text, start, end } = span
  const line = printable(text)
  const caret = ' '.repeat(start) + '^'.repeat(Math.max(1, end - start))
  const advice = hint === '' ? '' : `\n${hint}`
  throw new PunctualError(
    code ?? 'invalid_schedule',
    `${what}, at character ${start + 1}:\n  ${line}\n  ${caret}${advice}`,
    { field: 'expression', position: start },
  )
}

/** Checks that an expression is a non-blank string of a sensible length. */
export function checkExpression(expression: unknown): Span {
  const refuse = (expected: string, received: unknown, position: number): never => {
    const message = `A schedule must be ${expected}; got ${shown(received)}.`
    throw new PunctualError('invalid_schedule', message, { field: 'expression', position })
  }
  if (typeof expression !== 'string')
    return refuse('a cron expression, a duration or a repeating interval', expression, 0)
  if (expression.length > EXPRESSION_LENGTH_MAX)
    return refuse(
      `at most ${EXPRESSION_LENGTH_MAX} characters long`,
      `${expression.length} characters: ${expression.slice(0, 40)}`,
      EXPRESSION_LENGTH_MAX,
    )
  let start = 0
  let end = expression.length
  while (start < end && isBlank(expression, start)) start++
  while (end > start && isBlank(expression, end - 1)) end--
  if (start === end) return refuse('a non-empty string', expression, 0)
  return { text: expression, start, end }
}

/**
 * Fields are separated by spaces and tabs; a line break is a mistake or an attempt to add a second
 * line.
 */
export function isBlank(text: string, at: number): boolean {
  const char = text.charCodeAt(at)
  return char === 0x20 || char === 0x09
}
