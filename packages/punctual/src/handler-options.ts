/** How a handler is registered: checked once, where it is. */
import { checkName, PunctualError, refuseOption } from '@punctual/core'
import type { HandlerFunction, HandlerOptions, RegisteredHandler } from '@punctual/worker'
import { behindSchema, isPayloadSchema, type PayloadSchema } from './payload-schema.ts'

export interface HandlerSettings extends HandlerOptions {
  /** What payloads must be: any Standard Schema, such as one of zod, valibot or arktype. */
  readonly schema?: PayloadSchema
}

// biome-ignore lint/suspicious/noExplicitAny: handlers of every payload type are registered
export type HandlerArgument = HandlerSettings | HandlerFunction<any, any>

const KNOWN = ['onLeaseLoss', 'schema']
const reactions: readonly unknown[] = [
  'continue',
  'abort',
] satisfies HandlerOptions['onLeaseLoss'][]

/** The function may come before its options or, which reads better when it is long, behind them. */
export function compileHandler(
  name: string,
  first: HandlerArgument,
  second: HandlerArgument | undefined,
): { readonly registered: RegisteredHandler; readonly schema: PayloadSchema | null } {
  checkName('handler', name)
  const [run, options = {}] = typeof first === 'function' ? [first, second] : [second, first]
  if (typeof run !== 'function')
    throw new PunctualError(
      'invalid_option',
      `The handler ${JSON.stringify(name)} must be a function.`,
      { field: 'run' },
    )
  const { schema = null, ...rest } = compileSettings(options as HandlerSettings)
  return { registered: { name, run: schema ? behindSchema(schema, run) : run, ...rest }, schema }
}

function compileSettings(options: HandlerSettings): HandlerSettings {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    refuseOption('options', 'an object', options)
  for (const name of Object.keys(options))
    if (!KNOWN.includes(name))
      throw new PunctualError(
        'invalid_option',
        `${JSON.stringify(name.slice(0, 80))} is not an option of a handler. Known: ${KNOWN.join(', ')}.`,
        { field: name.slice(0, 80) },
      )
  const { onLeaseLoss, schema } = options
  if (onLeaseLoss !== undefined && !reactions.includes(onLeaseLoss))
    refuseOption('onLeaseLoss', 'continue or abort', onLeaseLoss)
  if (schema !== undefined && !isPayloadSchema(schema))
    refuseOption('schema', 'a Standard Schema, such as one of zod, valibot or arktype', schema)
  return { ...(onLeaseLoss && { onLeaseLoss }), ...(schema && { schema }) }
}
