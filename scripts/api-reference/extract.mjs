/**
 * Extracts the declarations of the package: api-extractor reads the built `.d.ts` of each entry
 * point, with its own TypeScript, and writes the exports with their comments.
 *
 * packages/punctual/tsdoc.json defines the allowed comment tags. The file that api-extractor writes
 * is read as plain JSON, because the pages need only a few of its fields.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor'

const COMPILER = {
  target: 'ES2023',
  lib: ['ES2024'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
}

/** The exports of each entry point, and the problems of their comments. */
export function extract(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const entries = Object.entries(exports).filter(([, { types }]) => types !== undefined)
  const target = mkdtempSync(join(tmpdir(), 'punctual-api-'))
  try {
    const files = entries.map(([, { types }]) => types)
    const configs = files.map((types) => prepare(folder, types, files, target))
    // One program for all entry points, because compiling takes most of the time.
    const compilerState = CompilerState.create(configs[0], {
      additionalEntryPoints: files.map((types) => join(folder, types)),
    })
    return entries.map(([path], i) => {
      const problems = []
      const items = extractEntry(configs[i], compilerState, problems)
      return { module: join('punctual', path), items, problems }
    })
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

function extractEntry(config, compilerState, problems) {
  const { succeeded } = Extractor.invoke(config, {
    localBuild: true,
    compilerState,
    messageCallback: (message) => {
      message.handled = true
      if (message.logLevel === 'error') problems.push(shown(config.projectFolder, message))
    },
  })
  if (!succeeded && problems.length === 0) problems.push('api-extractor failed')
  return JSON.parse(readFileSync(config.apiJsonFilePath, 'utf8')).members[0].members
}

function prepare(folder, types, files, target) {
  const apiJsonFilePath = join(target, `${types.replaceAll('/', '-')}.api.json`)
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, types),
      bundledPackages: ['@punctual/*'],
      compiler: { overrideTsconfig: { compilerOptions: COMPILER, files } },
      apiReport: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      docModel: { enabled: true, apiJsonFilePath, includeForgottenExports: true },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        // find-problems.mjs reports missing comments and exports, over all entry points together.
        extractorMessageReporting: { default: { logLevel: 'none' } },
        tsdocMessageReporting: { default: { logLevel: 'error' } },
      },
    },
  })
}

function shown(folder, { sourceFilePath, sourceFileLine, text }) {
  const where = sourceFilePath?.slice(folder.length - 'packages/punctual'.length)
  return where === undefined ? text : `${where}:${sourceFileLine} ${text}`
}
