/** The overloads of `handler`, and the payload type that each infers. */
import type { BatchFunction, HandlerFunction } from '@punctual/worker'
import type { HandlerHandle } from '../submit/handler-handle.ts'
import type { GivenSchema, InputOf, OutputOf } from './given-schema.ts'
import type { BatchOptions, InlineOptions, IsolatedOptions } from './options.ts'

/** The option that gives payloads their type. */
export interface WithSchema<Schema extends GivenSchema> {
  /**
   * Validates payloads: any Standard Schema, such as one of zod, valibot or arktype, or a compiled
   * TypeBox type.
   */
  readonly schema: Schema
}

/**
 * Registers a handler. Runs are submitted to its name. The forms below differ in where the handler
 * runs and in how the payload gets its type.
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
   * In a separate thread or process: runs the default export of a module, or the export that the
   * URL's fragment names. A schema checks payloads and gives them their type.
   */
  <Schema extends GivenSchema>(
    name: string,
    options: IsolatedOptions & WithSchema<Schema>,
    module: URL,
  ): HandlerHandle<InputOf<Schema>>
  /** In a separate thread or process, without a schema. */
  <Payload = unknown>(name: string, options: IsolatedOptions, module: URL): HandlerHandle<Payload>

  /**
   * Several runs in one call, with an outcome for each. A schema checks payloads and gives them
   * their type.
   */
  <Schema extends GivenSchema>(
    name: string,
    options: BatchOptions & WithSchema<Schema>,
    run: BatchFunction<OutputOf<Schema>>,
  ): HandlerHandle<InputOf<Schema>>
  /** Several runs in one call, without a schema. */
  <Payload = unknown>(
    name: string,
    options: BatchOptions,
    run: BatchFunction<Payload>,
  ): HandlerHandle<Payload>

  /** In this process, with a schema that checks payloads and gives them their type. */
  <Schema extends GivenSchema, Output = unknown>(
    name: string,
    options: InlineOptions & WithSchema<Schema>,
    run: HandlerFunction<OutputOf<Schema>, Output>,
  ): HandlerHandle<InputOf<Schema>>
  /** In this process, without a schema. */
  <Payload = unknown, Output = unknown>(
    name: string,
    options: InlineOptions,
    run: HandlerFunction<Payload, Output>,
  ): HandlerHandle<Payload>
  /** In this process, with the options last. */
  <Payload = unknown, Output = unknown>(
    name: string,
    run: HandlerFunction<Payload, Output>,
    options?: InlineOptions,
  ): HandlerHandle<Payload>
}
