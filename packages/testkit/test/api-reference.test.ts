/**
 * The reference generator rejects gaps; `npm run check:reference` checks that the pages are
 * current.
 */
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const load = (name: string) =>
  import(
    pathToFileURL(new URL(`../../../scripts/api-reference/${name}.mjs`, import.meta.url).pathname)
      .href
  )
const [{ findProblems }, { readComment }, { expandLists }, { readDeclarations }] =
  await Promise.all([
    load('find-problems'),
    load('read-comment'),
    load('expand-lists'),
    load('declarations'),
  ])

const content = (text: string) => ({ kind: 'Content', text })
const reference = (name: string, hidden = false) => ({
  kind: 'Reference',
  text: name,
  canonicalReference: `punctual!${hidden ? '~' : ''}${name}:type`,
})

/** An item in the format of api-extractor. */
function anItem(name: string, more: object = {}) {
  const canonicalReference = `punctual!${name}:type`
  const item = { kind: 'TypeAlias', name: name.replace('~', ''), canonicalReference, members: [] }
  return { ...item, docComment: '/** What it is for. */', excerptTokens: [content('')], ...more }
}

function problems(items: readonly object[], names: readonly string[]): string[] {
  const declarations = readDeclarations([{ module: 'punctual', items }], '')
  return findProblems(declarations, [{ file: 'a.md', names }])
}

test('a reference in which everything is documented, exported and on a page has no problems', () => {
  expect(problems([anItem('Run'), anItem('~Hidden')], ['Run'])).toEqual([])
})

test('a name, a member and an overload without a comment are found', () => {
  const members = [
    anItem('at', { docComment: '/** @default now */' }),
    anItem('get', { docComment: '', overloadIndex: 2 }),
    anItem('id', { docComment: '/** no sentence */' }),
    anItem('store', { docComment: '', releaseTag: 'Internal' }),
  ]
  expect(problems([anItem('Run', { docComment: '', members })], ['Run'])).toEqual([
    'Run has no comment; say what it is for',
    'Run.at has no comment; say what it is for',
    'Run.get, overload 2 has no comment; say what it is for',
    'Run.id: the comment is not a sentence: "no sentence"',
  ])
})

test('a comment about a missing parameter is found', () => {
  const docComment = '/** Gets it.\n * @param name - Which one.\n * @param id - Another. */'
  const parameters = [{ parameterName: 'name' }]
  expect(problems([anItem('get', { docComment, parameters })], ['get'])).toEqual([
    'get has no parameter id, but its comment does',
  ])
})

test('a mentioned type that is not exported is found; a constant is not', () => {
  const excerptTokens = [reference('Hidden', true), content(' | typeof '), reference('list', true)]
  const items = [
    anItem('Run', { excerptTokens }),
    anItem('~Hidden'),
    anItem('~list', { kind: 'Variable' }),
  ]
  expect(problems(items, ['Run'])).toEqual([
    'Run mentions Hidden, which is not exported; export it',
  ])
})

test('a name on no page, a name on two pages, and an unexported name are found', () => {
  const [none, twice, unknown] = problems([anItem('Run'), anItem('Job')], ['Job', 'Job', 'Slot'])
  expect(none).toMatch(/^Run is on no page; /)
  expect(twice).toMatch(/^Job is on several pages: a.md, a.md; /)
  expect(unknown).toMatch(/^Slot is listed .*, but nothing exports it$/)
})

test('a comment is split into its parts, and tags in code are text', () => {
  const comment = [
    '/**',
    ' * Fires `@daily`, up to 10. @default 5',
    ' * @param name - Which',
    ' * one.',
    ' * @throws `PunctualError`.',
    ' * @example',
    ' * ```ts',
    " * next('@daily') // @default",
    ' * ```',
    ' */',
  ].join('\n')
  expect(readComment(comment)).toMatchObject({
    summary: 'Fires `@daily`, up to 10.',
    default: '5',
    params: [{ name: 'name', what: 'Which\none.' }],
    throws: ['`PunctualError`.'],
    examples: ["```ts\nnext('@daily') // @default\n```"],
  })
})

test.for([
  ["readonly ['open', 'handled']", '(typeof ', ')[number]', "'open' | 'handled'"],
  [
    "{\n    readonly run: 1;\n    readonly 'run-again': 2;\n}",
    'keyof typeof ',
    '',
    "'run' | 'run-again'",
  ],
] as const)(
  'a type that is derived from %j is shown by its values',
  ([type, before, after, shown]) => {
    const list = anItem('~list', { kind: 'Variable', excerptTokens: [content(`list: ${type}`)] })
    const declarations = readDeclarations([{ module: 'punctual', items: [list] }], '')
    const tokens = [content(before), reference('list', true), content(`${after};`)]
    expect(expandLists(tokens, declarations).map(({ text }: { text: string }) => text)).toEqual([
      `${shown};`,
    ])
  },
)
