/** The ways in which a handler can be registered, and what each makes of the types. */
import type { BatchFunction, HandlerFunction } from '@punctual/worker'
import type { HandlerHandle } from '../submit/handler-handle.ts'
import type { GivenSchema, InputOf, OutputOf } from './given-schema.ts'
import type { BatchOptions, InlineOptions, IsolatedOptions } from './options.ts'

/** The part of the options that gives payloads their type. */
export interface WithSchema<Schema extends GivenSchema> {
  /** What payloads must be: any Standard Schema, such as one of zod, valibot or arktype, or a compiled type of TypeBox. */
  readonly schema: Schema
}

/**
 * The ways in which a handler can be registered, and what each makes of the types. The name is that which runs are
 * submitted to.
 * @example
 * ```ts
 * import { z } from 'zod'
 *
 * const resize = punctual.handler('resize', async (payload: { url: string }, ctx) => {
 *   ctx.log.info('resizing', payload)
 * })
 * await resize.submit({ url: 'https://example.com/a.png' })
 *
 * const schema = z.object({ to: z.string() })
 * punctual.handler('greet', { schema }, async ({ to }) => `Hello ${to}`)
 * ```
 */
export interface RegisterHandler {
  /**
   * In a thread or a process of its own: the default export of a module, or the one named behind a #. A schema checks
   * payloads and gives their type.
   */
  <Schema extends GivenSchema>(
    name: string,
    options: IsolatedOptions & WithSchema<Schema>,
    module: URL,
  ): HandlerHandle<InputOf<Schema>>
  /** The same without a schema. */
  <Payload = unknown>(name: string, options: IsolatedOptions, module: URL): HandlerHandle<Payload>

  /**
   * Several runs in one call, with an outcome for each of them. A schema checks payloads and gives their type.
   */
  <Schema extends GivenSchema>(
    name: string,
    options: BatchOptions & WithSchema<Schema>,
    run: BatchFunction<OutputOf<Schema>>,
  ): HandlerHandle<InputOf<Schema>>
  /** The same without a schema. */
  <Payload = unknown>(
    name: string,
    options: BatchOptions,
    run: BatchFunction<Payload>,
  ): HandlerHandle<Payload>

  /** In this process, with a schema that checks payloads and gives their type. */
  <Schema extends GivenSchema, Output = unknown>(
    name: string,
    options: InlineOptions & WithSchema<Schema>,
    run: HandlerFunction<OutputOf<Schema>, Output>,
  ): HandlerHandle<InputOf<Schema>>
  /** In this process. */
  <Payload = unknown, Output = unknown>(
    name: string,
    options: InlineOptions,
    run: HandlerFunction<Payload, Output>,
  ): HandlerHandle<Payload>
  /** The same with the options last. */
  <Payload = unknown, Output = unknown>(
    name: string,
    run: HandlerFunction<Payload, Output>,
    options?: InlineOptions,
  ): HandlerHandle<Payload>
}
