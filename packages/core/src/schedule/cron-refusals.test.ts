import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PunctualError } from '../errors/errors.ts'
import { parseCron } from './cron/parse-cron.ts'
import { parseExpression } from './parse-expression.ts'

function refusal(expression: unknown): PunctualError {
  try {
    parseExpression(expression as string, { seed: 'x' })
  } catch (error) {
    if (error instanceof PunctualError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(expression)} was taken`)
}

describe('a refusal points at the character (case 104)', () => {
  test.for([
    ['60 * * * *', 0, 'a minute from 0 to 59; got "60"'],
    ['1-60 * * * *', 2, 'a minute from 0 to 59; got "60"'],
    ['* 24 * * *', 2, 'Midnight is hour 0'],
    ['* * 0 * *', 4, 'a day from 1 to 31'],
    ['* * 32 * *', 4, 'a day from 1 to 31'],
    ['* * * 13 *', 6, 'a month from 1 to 12'],
    ['* * * * 8', 8, 'a weekday from 0 to 7'],
    ['60 * * * * *', 0, 'a second from 0 to 59'],
    ['0 0 0 1 1 * 1969', 12, 'a year from 1970 to 2199'],
    ['0 0 0 1 1 * 2030-2026', 12, 'Did you mean 2026-2030?'],
    ['59/0 * * * *', 3, 'a step of 1 or more; got "0"'],
    ['*/0 * * * *', 2, 'a step of 1 or more'],
    ['*/ * * * *', 2, 'a step of 1 or more; got nothing'],
    ['*/61 * * * *', 2, '@every 61m'],
    ['* */25 * * *', 4, '@every 25h'],
    ['* * */32 * *', 6, 'a step of 1 to 31'],
    ['*/5/5 * * * *', 2, '"5/5"'],
    ['1,,2 * * * *', 2, 'a minute; got nothing'],
    [',1 * * * *', 0, 'a minute; got nothing'],
    ['1, * * * *', 2, 'without spaces'],
    ['1- * * * *', 2, 'a minute from 0 to 59; got nothing'],
    ['-1 * * * *', 0, 'got nothing'],
    ['1-2-3 * * * *', 2, '"2-3"'],
    ['** * * * *', 0, '"**"'],
    ['*5 * * * *', 0, '"*5"'],
    ['5* * * * *', 0, '"5*"'],
    ['1.5 * * * *', 1, 'U+002E'],
    ['? * * * *', 0, 'a whole day or weekday field'],
    ['* * ?,5 * *', 4, 'a whole day or weekday field'],
    ['* * * JNA *', 6, 'Did you mean JAN?'],
    ['* * * * TEU', 8, 'Did you mean TUE?'],
    ['* * * * MON-FIR', 12, 'Did you mean FRI?'],
    ['* * * MON *', 6, 'a month from 1 to 12'],
    ['* * * * L', 8, 'Saturday is 6'],
    ['* * * * 5#6', 10, '1 to 5, or L'],
    ['* * * * 5#0', 10, '1 to 5, or L'],
    ['* * * * 5#', 10, '1 to 5, or L'],
    ['* * * * #2', 8, 'a weekday from 0 to 7'],
    ['* * 5#2 * *', 4, 'a day from 1 to 31'],
    ['* * 32W * *', 4, 'a day from 1 to 31'],
    ['* * W * *', 4, 'a day from 1 to 31'],
    ['* * L-31 * *', 4, 'L-1 to L-30'],
    ['* * L-0 * *', 4, 'L-1 to L-30'],
    ['* * LX * *', 4, 'L-1 to L-30'],
    ['* * 1-5W * *', 4, 'a day from 1 to 31'],
    ['* * L/2 * *', 4, 'a day from 1 to 31'],
    ['* L * * *', 2, 'an hour from 0 to 23'],
    ['0 12 * * * 2026', 11, 'A year needs seven fields'],
    ['* * * *', 7, 'Expected 5 fields'],
    ['* * * * * * * *', 14, 'Expected 5 fields'],
    ['@dayly', 0, 'Did you mean @daily?'],
    ['@', 0, 'Expected @hourly'],
    ['TZ=Europe/Berlni * * * * *', 3, 'Did you mean Europe/Berlin?'],
    ['CRON_TZ=UTC', 11, 'got nothing'],
    ['TZ= * * * * *', 3, 'A time zone must be a name'],
  ] as const)('%s at %i: %s', ([expression, position, part]) => {
    const error = refusal(expression)
    expect(error.code).toMatch(/^invalid_(?:schedule|timezone)$/)
    expect(error.message).toContain(part)
    expect(error).toMatchObject({ position, field: 'expression' })
  })

  test('shows the expression with a caret below the error', () => {
    expect(refusal('0 9-25 * * 1').message).toBe(
      'Expected an hour from 0 to 23; got "25", at character 5:\n  0 9-25 * * 1\n      ^^',
    )
  })

  test('counts positions in the given text, including blanks', () => {
    expect(refusal('  61 * * * *')).toMatchObject({ position: 2 })
    expect(refusal('CRON_TZ=UTC \t61 * * * *')).toMatchObject({ position: 13 })
  })

  test.for([
    ['NUL', '0 9 * * *\0', 9],
    ['a line break', '0 9 * *\n* * * * * *', 7],
    ['a line break at the end', '0 9 * * *\n', 9],
    ['Arabic digits', '٠ 9 * * *', 0],
    ['full-width digits', '０ 9 * * *', 0],
    ['a right-to-left mark', '0 \u202e9 * * *', 2],
    ['a no-break space', '0\u00a09 * * *', 1],
    ['half of a surrogate pair', '0 9 * * \ud800', 8],
    ['a character like L', '0 0 Ⅼ * *', 4],
  ] as const)(
    '%s is shown by its number and cannot disturb the line',
    ([, expression, position]) => {
      const error = refusal(expression)
      expect(error).toMatchObject({ code: 'invalid_schedule', position })
      expect(error.message).toMatch(/got the character U\+[0-9A-F]{4,6}/)
      expect(error.message.split('\n')).toHaveLength(3)
      expect(error.message).not.toMatch(/[\0\u202e\ud800]/)
    },
  )

  test.for([null, undefined, {}, [], true, Symbol('x'), () => '* * * * *', 10n, '', ' ', '\t\t'])(
    'a value that is not an expression is refused: case %#',
    (expression) => {
      expect(refusal(expression)).toMatchObject({ code: 'invalid_schedule', position: 0 })
    },
  )

  test.for([
    ['10 kB of stars', '* '.repeat(5_000)],
    ['a list of 10,000 items', `${'1,'.repeat(10_000)}1 * * * *`],
    ['nothing but spaces', ' '.repeat(10_000)],
    ['a long number', `${'9'.repeat(250)} * * *`],
    ['slashes', `${'/'.repeat(250)} * * *`],
    ['dashes', `${'1-'.repeat(120)} * * *`],
  ])('%s is refused quickly', ([, expression]) => {
    expect(refusal(expression)).toMatchObject({ code: 'invalid_schedule' })
    expect(refusal(expression).message.length).toBeLessThan(1_500)
  })
})

describe('a pattern that never fires is detected at once (case 102)', () => {
  test.for([
    '0 0 31 2 *',
    '0 0 30 2 *',
    '0 0 31 4,6,9,11 *',
    '0 0 31W 2 *',
    '0 0 L-29 2 *',
    '0 0 0 29 2 * 2027',
    '0 0 0 29 2 * 2100',
    '0 0 0 31 6-6 * 2000-2100',
  ])('%s', (expression) => {
    expect(refusal(expression)).toMatchObject({ code: 'never_fires', position: 0 })
  })

  test('by the day rule: 30 February or a Monday fires, 30 February and a Monday never', () => {
    expect(() => parseCron('0 0 30 2 1')).not.toThrow()
    expect(() => parseCron('0 0 30 2 1', { dayRule: 'and' })).toThrow('never fires')
  })
})

describe('for any text, the parser returns a result or throws a PunctualError', () => {
  const word = fc.constantFrom(
    ...['*', '?', 'L', 'W', 'H', '#', '-', '/', ',', '(', ')', '@', ' ', '\t', 'MON', 'JAN', 'TZ='],
    ...['0', '5', '7', '31', '59', '60', '2026', 'P', 'T', 'R', '@every ', 'LW', 'UTC', 'd', 'm'],
  )
  const soup = fc.array(word, { maxLength: 40 }).map((words) => words.join(''))
  const fields = fc
    .array(
      fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join('')),
      {
        minLength: 5,
        maxLength: 7,
      },
    )
    .map((all) => all.join(' '))
  const unicode = fc.string({ unit: 'binary', maxLength: 60 })

  test.for([
    ['made of the words of cron', soup],
    ['with the right number of fields', fields],
    ['of any characters', unicode],
  ] as const)('%s', ([, text]) => {
    fc.assert(
      fc.property(text, (expression) => {
        try {
          parseExpression(expression, { seed: 'x' })
        } catch (error) {
          expect(error).toBeInstanceOf(PunctualError)
          const { position = 0, message } = error as PunctualError
          expect(position).toBeLessThanOrEqual(expression.length)
          expect(message.length).toBeLessThan(2_000)
        }
      }),
      { numRuns: 1_500 },
    )
  })
})
