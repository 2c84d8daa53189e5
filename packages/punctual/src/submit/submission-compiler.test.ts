import { expect, test } from 'vitest'
import { SubmissionCompiler } from './submission-compiler.ts'

test('submissions to a handler without options share one compiled object', () => {
  const compiler = new SubmissionCompiler()
  expect(compiler.compile('send', {})).toBe(compiler.compile('send'))
  expect(compiler.compile('send', { priority: 5 })).not.toBe(compiler.compile('send'))
})

test('two compilers share nothing', () => {
  expect(new SubmissionCompiler().compile('send')).not.toBe(
    new SubmissionCompiler().compile('send'),
  )
})

test('a compiler does not keep the names of 2,000 handlers', () => {
  const compiler = new SubmissionCompiler()
  for (let i = 0; i < 2_000; i++) compiler.compile(`many-${i}`)
  expect(compiler.compile('many-0')).toBe(compiler.compile('many-0'))
  expect(compiler.compile('many-1999')).not.toBe(compiler.compile('many-1999'))
})

test('options that are not an object are refused', () => {
  expect(() => new SubmissionCompiler().compile('send', [] as never)).toThrow(
    'options must be an object',
  )
})
