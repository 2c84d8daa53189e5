import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readHint } from './read-hint.ts'

const RUN = '01890a5d-ac96-774b-bcce-b302099a8057'

it.each([
  ['n due 1,2', { lanes: [1, 2], newLane: false }],
  ['n due *', { lanes: null, newLane: false }],
  ['- due 7 -5,9223372036854775807', { lanes: [7], newLane: false, gates: [-5n, 2n ** 63n - 1n] }],
  ['- due  12', { lanes: [], newLane: false, gates: [12n] }],
  ['- new 3', { lanes: [3], newLane: true }],
  ['- new *', { lanes: null, newLane: true }],
  ['n jobs ', { lanes: [], newLane: false, jobs: true }],
  ['n groups ', { lanes: [], newLane: false, groups: true }],
  ['n leases ', { lanes: [], newLane: false, leases: true }],
  ['n identity ', { lanes: [], newLane: false, identity: true }],
  [`n cancel ${RUN}`, { lanes: [], newLane: false, cancels: [RUN] }],
  ['n sessions 4711', { lanes: [], newLane: false, sessions: ['4711'] }],
])('%j is read as the hint that a node sends', (payload, hint) => {
  expect(readHint(payload)).toEqual({ node: payload[0], hint })
})

it.each([
  ...['', 'n', 'n other', ' due 1', 'n due x', 'n due 1,,2', 'n due -1', 'n due 1e3', 'n due 1 x'],
  ...['n due 12345678901', 'n due 1 1.5', 'n due 1 2 3', 'n cancel x', 'n sessions x', 'n new 1,*'],
  ...[`n due ${Array.from({ length: 401 }, () => 1).join()}`, `${'n'.repeat(129)} due 1`],
])('%j is not a hint', (payload) => {
  expect(readHint(payload)).toBeNull()
})

it('no text makes reading a hint throw', () => {
  const words = fc.constantFrom(
    'n',
    '-',
    'due',
    'new',
    'cancel',
    'sessions',
    'jobs',
    '',
    '*',
    '1,x',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(words, fc.string())).map((w) => w.join(' ')),
  )
  fc.assert(fc.property(text, (payload) => void readHint(payload)))
})
