/** Compiles a handler at registration, so that errors surface there and not at the first run. */
import { oneOf, refuseOption } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import { checkHandlerName } from '@punctual/core/target'
import type { RegisteredHandler } from '@punctual/worker'
import { batched } from './batched.ts'
import { asPayloadSchema } from './given-schema.ts'
import { isolated } from './isolated.ts'
import type { HandlerArgument, HandlerBody, HandlerSettings } from './options.ts'
import { behindSchema, type PayloadSchema } from './payload-schema.ts'

interface CompiledHandler {
  readonly registered: RegisteredHandler
  readonly schema: PayloadSchema | null
  /** Ends the threads or processes of an isolated handler. */
  close?(): Promise<void>
}

const KNOWN = ['schema', 'onLeaseLoss', 'isolation', 'memoryMb', 'batchSize', 'batchWaitMs']

/** The body may stand before its options or, which reads better when it is long, after them. */
export function compileHandler(
  name: string,
  first: HandlerArgument,
  second: HandlerArgument | undefined,
): CompiledHandler {
  checkHandlerName('handler', name)
  const [body, options = {}] = isBody(first) ? [first, second] : [second, first]
  if (!isBody(body))
    throw new PunctualError(
      'invalid_option',
      `The handler ${JSON.stringify(name)} must be a function or, when it is isolated, the URL of a module.`,
      { field: 'run' },
    )
  const settings = checkSettings(options as HandlerSettings)
  const { onLeaseLoss } = settings
  const schema = settings.schema === undefined ? null : asPayloadSchema(settings.schema)
  const made = isolated(name, settings, body) ?? batched(name, settings, body)
  const run = schema ? behindSchema(schema, made.run) : made.run
  return { ...made, schema, registered: { name, run, ...(onLeaseLoss && { onLeaseLoss }) } }
}

const isBody = (value: unknown): value is HandlerBody =>
  typeof value === 'function' || value instanceof URL

function checkSettings(options: HandlerSettings): HandlerSettings {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    refuseOption('options', 'an object', options)
  for (const name of Object.keys(options))
    if (!KNOWN.includes(name))
      throw new PunctualError(
        'invalid_option',
        `Unknown handler option ${JSON.stringify(name.slice(0, 80))}. Known: ${KNOWN.join(', ')}.`,
        { field: name.slice(0, 80) },
      )
  const { onLeaseLoss } = options
  if (onLeaseLoss !== undefined) oneOf('onLeaseLoss', ['continue', 'abort'], onLeaseLoss)
  return options
}
