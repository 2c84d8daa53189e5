/** Checks the options of a handler that runs in a separate thread or process. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { oneOf, refuseOption } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import { systemClock } from '@punctual/store'
import { type IsolatedHandler, isolatedHandler } from '@punctual/worker'
import type { HandlerBody, HandlerSettings } from './options.ts'

const MEMORY_MB_MIN = 16
const MEMORY_MB_MAX = 1_048_576

/** Returns null when the handler runs inline. */
export function isolated(
  name: string,
  settings: HandlerSettings,
  body: HandlerBody,
): IsolatedHandler | null {
  const { isolation: requested = 'inline', memoryMb = null } = settings
  const isolation = oneOf('isolation', ['inline', 'thread', 'process'], requested)
  if (isolation === 'inline') {
    if (memoryMb !== null) refuse('memoryMb', 'memoryMb requires isolation "thread" or "process".')
    if (body instanceof URL)
      refuse(
        'isolation',
        'A module requires isolation "thread" or "process". An inline handler must be a function.',
      )
    return null
  }
  if (!(body instanceof URL))
    refuse(
      'run',
      `A function cannot be sent to a ${isolation}. Pass the module that exports it: new URL('../resize.js', import.meta.url).`,
    )
  if (settings.batchSize !== undefined)
    refuse('batchSize', 'A batch handler cannot be isolated. Leave out batchSize or isolation.')
  if (memoryMb !== null && !isInteger(memoryMb, MEMORY_MB_MIN, MEMORY_MB_MAX))
    refuseOption('memoryMb', `an integer from ${MEMORY_MB_MIN} to ${MEMORY_MB_MAX}`, memoryMb)
  const module = readModule(body)
  const options = { handler: name, module, memoryMb, isolation, clock: systemClock }
  return isolatedHandler(options)
}

/** The fragment of the URL names the export. Without a fragment, it is the default export. */
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

/** Returns the compiled loader, even when a test runs this file from source. */
function typeScriptLoader(): URL {
  const sibling = new URL('./typescript-loader.js', import.meta.url)
  return existsSync(sibling)
    ? sibling
    : new URL('../../dist/handlers/typescript-loader.js', import.meta.url)
}

const isInteger = (value: unknown, min: number, max: number) =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

function refuse(field: string, message: string): never {
  throw new PunctualError('invalid_option', message, { field })
}
