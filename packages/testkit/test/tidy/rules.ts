/**
 * The rules of the house that no linter knows. A rule looks at one file and returns what is wrong
 * with it, each with the line where it can be put right.
 */

import { dialect, emptyName, relativeOpening } from './dialect.ts'

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Rule {
  readonly title: string
  readonly applies: (path: string) => boolean
  readonly problems: (file: SourceFile) => string[]
}

const LINES_MAX = 400

/** Who may show what is behind (docs/adr/0018): these give it to their callers, and do nothing else with it. */
const SHOWS = new Set(
  [
    'audit/audit',
    'dead-letters/dead-letters',
    'groups/groups',
    'jobs/jobs',
    'jobs/pages',
    'runs/pages',
    'runs/runs',
    'queues/stats',
    'tenants/tenants',
    'punctual',
    'cli/commands/doctor',
  ].map((name) => `packages/punctual/src/${name}.ts`),
)

/** Where a context may travel with the work (docs/adr/0020); the second is of the test kit for users. */
const HOLDS_CONTEXT = new Set([
  'packages/store/src/connection/ambient.ts',
  'packages/punctual/src/testing/test-submit.ts',
])

/** How many source files a folder may hold before a reader no longer sees what it is about. */
export const SOURCES_PER_FOLDER_MAX = 20

/** Folders that hold too many sources; tests beside the code do not count, tests in a folder of tests do. */
export function crowdedFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const besideCode = /\.test\.\w+$/.test(path) && !/(^|\/)test\//.test(path)
    if (!(isScript(path) || path.endsWith('.sql')) || besideCode) continue
    const folder = path.slice(0, path.lastIndexOf('/'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > SOURCES_PER_FOLDER_MAX)
    .map(([folder, count]) => `${folder} holds ${count} sources; group them by what they are about`)
}

/** Folders of sources that ARCHITECTURE.md does not name. */
export function unnamedFolders(paths: readonly string[], architecture: string): string[] {
  const folders = new Set(
    paths
      .filter((path) => /^packages\/[^/]+\/src\/.+\.tsx?$/.test(path) && !isTest(path))
      .map((path) => path.slice(0, path.lastIndexOf('/'))),
  )
  return [...folders]
    .filter((folder) => !architecture.includes(`\`${folder}\``))
    .map((folder) => `ARCHITECTURE.md does not name ${folder}; say what it holds`)
}

/** The texts that are rewritten together with the machinery they describe, generated files, and those that quote the phrases. */
const NOT_YET_PLAIN = [
  /^packages\/store\/queries\/work\//,
  /^docs\/(?:benchmarks|style)\.md$/,
  /^docs\/reference\/api\//,
  /^packages\/testkit\/test\/tidy/,
  /\/schema\.sql$|\.gen\.\w+$|package-lock\.json$/,
]

/** Comments that may open with a relative clause, in the whole repository. */
export const RELATIVE_OPENINGS_MAX = 100

export function relativeOpenings(
  paths: readonly string[],
  read: (path: string) => string,
): string[] {
  return paths
    .filter((path) => isCode(path) && !isGenerated(path))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) => (relativeOpening.test(line) ? [`${path}:${index + 1}`] : [])),
    )
}

export const rules: readonly Rule[] = [
  {
    title: `no file has more than ${LINES_MAX} lines`,
    // The floor of the benches is one file without imports, so that anybody can read it through.
    applies: (path) => isCode(path) && !isGenerated(path) && path !== 'bench/floor.mjs',
    problems({ text }) {
      const lines = text.trimEnd().split('\n').length
      return lines > LINES_MAX ? [`has ${lines} lines; split it by concept`] : []
    },
  },
  {
    title: 'suites are only skipped by describeWithServer, and never run alone',
    applies: (path) => isScript(path) && !path.endsWith('/servers/describe-with-server.ts'),
    problems: eachLine(
      /\b(?:describe|suite|test|it)(?:\.\w+)*\.(?:only|skip|todo|fails)\b/,
      (found) => `${found}; use describeWithServer, which reports what it skips, or delete it`,
    ),
  },
  {
    title: 'tests that only some platforms can run say why',
    applies: isScript,
    problems: eachUnexplainedLine(
      'skips',
      /\b(?:describe|suite|test|it)(?:\.\w+)*\.(?:skipIf|runIf)\b/,
      (found) => `${found}; use describeWithServer for a server, else add "// skips: <why>"`,
    ),
  },
  {
    title: 'nothing is left to do',
    applies: isCode,
    problems: eachLine(/\b(?:TODO|FIXME|XXX)\b/, (found) => `${found}; do it or open an issue`),
  },
  {
    title: 'tests wait for signals, or say why they wait for time',
    applies: (path) => isScript(path) && isTest(path),
    problems: eachUnexplainedLine(
      'waits',
      /\b(?:setTimeout|sleep|pg_sleep)\s*\(/,
      (found) => `${found}); await a signal, or add "// waits: <why>"`,
    ),
  },
  {
    title: 'lock files name no registry',
    applies: (path) => path.endsWith('package-lock.json'),
    problems: eachLine(/"resolved": "http/, () => 'keep omit-lockfile-registry-resolved in .npmrc'),
  },
  {
    title: 'every statement says its parameters, rows, locks and index',
    applies: (path) => /^packages\/store\/queries\/.+\.sql$/.test(path),
    problems({ path, text }) {
      const header = text.match(/^(?:--.*\n)*/)?.[0] ?? ''
      const isPart = path.startsWith('packages/store/queries/parts/')
      const words = isPart ? ['Expects'] : ['Parameters', 'Returns', 'Locks', 'Index']
      const missing = words.filter((word) => !new RegExp(`\\b${word}`, 'i').test(header))
      return missing.length > 0 ? [`its -- header does not name ${missing.join(', ')}`] : []
    },
  },
  {
    title: 'migrations are named NNNN_verb_noun.sql',
    applies: (path) => /^packages\/store\/migrations\/.+\.sql$/.test(path),
    problems: ({ path }) =>
      /\/\d{4}(?:_[a-z0-9]+){2,}\.sql$/.test(path) ? [] : ['is not named NNNN_verb_noun.sql'],
  },
  {
    title: 'only what is shown to people is read from a standby',
    applies: (path) =>
      /^packages\/(?!store\/|testkit\/)[^/]+\/src\//.test(path) && !SHOWS.has(path),
    problems: eachLine(
      /\.replica\b|\breplica\b[^{}()]*\} = /,
      (found) => `${found}; read the primary, or add the file to SHOWS if nothing is decided there`,
    ),
  },
  {
    title: 'only one module holds what travels with the work',
    applies: (path) => /^packages\/[^/]+\/src\//.test(path) && !HOLDS_CONTEXT.has(path),
    problems: eachLine(
      /\bnew AsyncLocalStorage\b/,
      (found) => `${found}; add a member to the context of connection/ambient.ts (docs/adr/0020)`,
    ),
  },
  {
    title: 'submissions are given their transaction, and ask nobody for it',
    applies: (path) => /^packages\/store\/src\/(?:submit|groups|dead-letters)\//.test(path),
    problems: eachLine(
      /\bambient\.transaction\b|\bclientPool\s*\.(?:transaction|pinned)\(/i,
      (found) => `${found}; take the transaction as an argument (docs/adr/0020)`,
    ),
  },
  {
    title: 'words are plain: docs/style.md has the plain form of each phrase',
    applies: isPlainlyWorded,
    problems: ({ path, text }) =>
      text.split('\n').flatMap((line, index) =>
        dialect.flatMap(({ pattern, plain }) => {
          const found = line.match(pattern)
          return found === null
            ? []
            : [`${path}:${index + 1} "${found[0]}"; write ${plain} (docs/style.md)`]
        }),
      ),
  },
  {
    title: 'names say what the value is',
    applies: (path) => isPlainlyWorded(path) && isScript(path),
    problems: eachLine(emptyName, (found) => `${found}; name the value (docs/style.md)`),
  },
  {
    title: 'no file is a drawer',
    applies: isScript,
    problems({ path }) {
      const name = path.slice(path.lastIndexOf('/') + 1)
      const drawer = /^(?:(?:.+-)?(?:utils?|helpers?|managers?)|common|types)\.\w+$/.test(name)
      return drawer ? ['name it after the one concept that it holds'] : []
    },
  },
]

function eachLine(pattern: RegExp, explain: (found: string) => string): Rule['problems'] {
  return ({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const found = line.match(pattern)
      return found === null ? [] : [`${path}:${index + 1} ${explain(found[0])}`]
    })
}

/** Like eachLine, except for lines with a comment `// <word>: <why>` on them or before them. */
function eachUnexplainedLine(
  word: string,
  pattern: RegExp,
  explain: (found: string) => string,
): Rule['problems'] {
  const reason = new RegExp(`(?://|--) ${word}: \\S`)
  const unexplained = eachLine(pattern, explain)
  return ({ path, text }) => {
    const lines = text.split('\n')
    const excused = lines.map((line, index) =>
      reason.test(`${lines[index - 1] ?? ''}\n${line}`) ? '' : line,
    )
    return unexplained({ path, text: excused.join('\n') })
  }
}

function isPlainlyWorded(path: string): boolean {
  return (isCode(path) || path.endsWith('.md')) && !NOT_YET_PLAIN.some((text) => text.test(path))
}

function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path)
}

function isCode(path: string): boolean {
  return isScript(path) || /\.(?:sql|sh|css|html|ya?ml)$/.test(path)
}

function isTest(path: string): boolean {
  return /\.test\.\w+$|\/test\//.test(path)
}

function isGenerated(path: string): boolean {
  return /\.gen\.\w+$|\/schema\.sql$/.test(path)
}
