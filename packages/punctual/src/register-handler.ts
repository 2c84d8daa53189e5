/** The ways in which a handler can be registered, and what each makes of the types. */
import type { BatchFunction, HandlerFunction } from '@punctual/worker'
import type { GivenSchema, InputOf, OutputOf } from './given-schema.ts'
import type { HandlerHandle } from './handler-handle.ts'
import type { BatchOptions, InlineOptions, IsolatedOptions } from './handler-options.ts'

interface WithSchema<Schema extends GivenSchema> {
  /** What payloads must be: any Standard Schema, such as one of zod, valibot or arktype, or a compiled type of TypeBox. */
  readonly schema: Schema
}

export interface RegisterHandler {
  /** In a thread or a process of its own: the default export of a module, or the one named behind a #. */
  <Schema extends GivenSchema>(
    name: string,
    options: IsolatedOptions & WithSchema<Schema>,
    module: URL,
  ): HandlerHandle<InputOf<Schema>>
  <Payload = unknown>(name: string, options: IsolatedOptions, module: URL): HandlerHandle<Payload>

  /** Several runs in one call: an outcome for each of them. */
  <Schema extends GivenSchema>(
    name: string,
    options: BatchOptions & WithSchema<Schema>,
    run: BatchFunction<OutputOf<Schema>>,
  ): HandlerHandle<InputOf<Schema>>
  <Payload = unknown>(
    name: string,
    options: BatchOptions,
    run: BatchFunction<Payload>,
  ): HandlerHandle<Payload>

  <Schema extends GivenSchema, Output = unknown>(
    name: string,
    options: InlineOptions & WithSchema<Schema>,
    run: HandlerFunction<OutputOf<Schema>, Output>,
  ): HandlerHandle<InputOf<Schema>>
  <Payload = unknown, Output = unknown>(
    name: string,
    options: InlineOptions,
    run: HandlerFunction<Payload, Output>,
  ): HandlerHandle<Payload>
  <Payload = unknown, Output = unknown>(
    name: string,
    run: HandlerFunction<Payload, Output>,
    options?: InlineOptions,
  ): HandlerHandle<Payload>
}
