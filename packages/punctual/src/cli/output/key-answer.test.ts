import { expect, it } from 'vitest'
import { keyAnswer } from './key-answer.ts'

it.for([
  ['created', 'Submitted r'],
  ['replaced', 'Replaced r'],
  ['existing', 'A run with this key exists: r'],
] as const)('reports %s', ([outcome, message]) => {
  expect(keyAnswer({ id: 'r', created: outcome === 'created', outcome })).toBe(message)
})
