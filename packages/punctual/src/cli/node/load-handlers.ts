/**
 * Loads the module given to `punctual worker`. Three shapes are accepted: a default export or an
 * export `register` that is a function of the Punctual instance, or an export `handlers` of
 * functions by name. TypeScript is compiled by tsx, which is loaded only for TypeScript modules.
 */
import { existsSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { HandlerFunction } from '@punctual/worker'
import type { Punctual } from '../../punctual.ts'
import { CliError } from '../runtime/cli-error.ts'

/** Registers the handlers and resolves with their names. */
export type HandlerModule = (punctual: Punctual) => Promise<readonly string[]>

const SHAPES =
  'Export a function (as default, or named register) that takes the Punctual instance and registers handlers, or an object handlers = { name: function }.'

export async function loadHandlers(path: string, cwd: string): Promise<HandlerModule> {
  const file = resolve(cwd, path)
  if (!existsSync(file) || !statSync(file).isFile())
    throw new CliError(
      'module_not_found',
      `The module ${path} does not exist (looked for ${file}).`,
      {
        hint: 'The path is relative to the current directory.',
      },
    )
  const exported = await importModule(path, file)
  const register = pick(exported, 'register') ?? pick(exported, 'default')
  const handlers = pick(exported, 'handlers')
  if (typeof register === 'function') return (punctual) => callRegister(path, register, punctual)
  if (isHandlers(handlers)) return async (punctual) => registerAll(handlers, punctual)
  throw new CliError('module_invalid', `The module ${path} exports no handlers.`, { hint: SHAPES })
}

async function importModule(path: string, file: string): Promise<Record<string, unknown>> {
  if (/^\.[cm]?tsx?$/.test(extname(file))) await import('../../handlers/typescript-loader.ts')
  try {
    return await import(pathToFileURL(file).href)
  } catch (cause) {
    throw failed(path, 'while it was being loaded', cause)
  }
}

/** A CommonJS module may appear nested in the default export. */
function pick(exported: Record<string, unknown>, name: string): unknown {
  const inner = exported.default as Record<string, unknown> | undefined
  const nested = typeof inner === 'object' && inner !== null ? inner[name] : undefined
  return nested ?? exported[name]
}

async function callRegister(path: string, register: unknown, punctual: Punctual) {
  const names: string[] = []
  const original = punctual.handler.bind(punctual) as (...values: unknown[]) => unknown
  // The library keeps no list of registered handlers, so the calls are observed.
  const watched = (...values: unknown[]) => {
    const handle = original(...values)
    names.push(values[0] as string)
    return handle
  }
  Object.defineProperty(punctual, 'handler', { value: watched, configurable: true })
  try {
    await (register as (punctual: Punctual) => unknown)(punctual)
  } catch (cause) {
    throw failed(path, 'while it registered its handlers', cause)
  }
  if (names.length > 0) return names
  throw new CliError('module_invalid', `The module ${path} registered no handlers.`, {
    hint: SHAPES,
  })
}

function isHandlers(value: unknown): value is Record<string, HandlerFunction> {
  if (typeof value !== 'object' || value === null) return false
  const functions = Object.values(value)
  return functions.length > 0 && functions.every((handler) => typeof handler === 'function')
}

function registerAll(handlers: Record<string, HandlerFunction>, punctual: Punctual): string[] {
  for (const [name, run] of Object.entries(handlers)) punctual.handler(name, run)
  return Object.keys(handlers)
}

function failed(path: string, when: string, cause: unknown): CliError {
  const why = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  return new CliError('module_failed', `The module ${path} threw ${when}:\n${why}`, { cause })
}
