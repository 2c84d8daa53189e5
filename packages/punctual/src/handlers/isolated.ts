/** The options of a handler that runs in a thread or a process of its own. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { oneOf, refuseOption } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import { systemClock } from '@punctual/store'
import { type IsolatedHandler, isolatedHandler } from '@punctual/worker'
import type { HandlerBody, HandlerSettings } from './options.ts'

const MEMORY_MB_MIN = 16
const MEMORY_MB_MAX = 1_048_576

/** Null when the handler runs inline. */
export function isolated(
  name: string,
  settings: HandlerSettings,
  body: HandlerBody,
): IsolatedHandler | null {
  const { isolation: asked = 'inline', memoryMb = null } = settings
  const isolation = oneOf('isolation', ['inline', 'thread', 'process'], asked)
  if (isolation === 'inline') {
    if (memoryMb !== null) refuse('memoryMb', 'memoryMb belongs to isolation thread or process.')
    if (body instanceof URL)
      refuse('isolation', 'A module needs isolation thread or process. Inline, give a function.')
    return null
  }
  if (!(body instanceof URL))
    refuse(
      'run',
      `A function cannot be sent to a ${isolation}. Give the module that exports it: new URL('../resize.js', import.meta.url).`,
    )
  if (settings.batchSize !== undefined)
    refuse('batchSize', 'A handler of batches cannot be isolated. Leave out one of the two.')
  if (memoryMb !== null && !isWhole(memoryMb, MEMORY_MB_MIN, MEMORY_MB_MAX))
    refuseOption('memoryMb', `an integer from ${MEMORY_MB_MIN} to ${MEMORY_MB_MAX}`, memoryMb)
  const module = readModule(body)
  const options = { handler: name, module, memoryMb, isolation, clock: systemClock }
  return isolatedHandler(options)
}

/** The name of the export stands behind a #. */
function readModule(module: URL) {
  if (module.protocol !== 'file:' || !existsSync(fileURLToPath(module)))
    refuseOption('module', 'the URL of a file that exists', module.href)
  const { href, hash, pathname } = module
  return {
    url: href.slice(0, href.length - hash.length),
    exportName: hash.slice(1) || 'default',
    preload: /\.[cm]?tsx?$/.test(pathname) ? typeScriptLoader().href : null,
  }
}

/** Compiled, also when this file is run from its source by a test. */
function typeScriptLoader(): URL {
  const beside = new URL('./typescript-loader.js', import.meta.url)
  return existsSync(beside)
    ? beside
    : new URL('../../dist/handlers/typescript-loader.js', import.meta.url)
}

const isWhole = (value: unknown, min: number, max: number) =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

function refuse(field: string, message: string): never {
  throw new PunctualError('invalid_option', message, { field })
}
