/**
 * Who listens to what. Events of this process are handed over where they happen, at once; those of the fleet come from
 * FleetWatch, which looks only while somebody listens to them. A listener that throws, or whose promise rejects, is
 * reported and harms nobody else.
 */
import { checkName, refuseOption } from '@punctual/core/check'
import { checkedOptions } from '../tenants/checked-options.ts'
import { EventStream } from './event-stream.ts'
import {
  type ActivityEvent,
  type ActivityType,
  checkActivityType,
  fleetActivity,
  localActivity,
} from './event-types.ts'

/** How far listening reaches. */
export interface ListenOptions {
  /** Also what other processes do, about a second later. @default false */
  fleet?: boolean
}

/** Which events a loop is given. */
export interface ActivityOptions<Name extends ActivityType = ActivityType> extends ListenOptions {
  /** Their names, one at least. @default all that the reach has */
  types?: readonly Name[]
  /** Only runs of this handler. */
  handler?: string
  /** Only runs of this queue. */
  queue?: string
  /** Ends the loop when it is aborted. */
  signal?: AbortSignal
}

/** What is called with each event. What it throws is reported, and harms nobody else. */
export type ActivityListener<Name extends ActivityType> = (event: ActivityEvent<Name>) => unknown

interface Subscription {
  readonly types: ReadonlySet<ActivityType>
  readonly fleet: boolean
  readonly listener: unknown
  give(event: ActivityEvent): unknown
}

export interface EventHubOptions {
  /** Others are listened to in the fleet from now on; none when it is empty. */
  readonly onFleetWanted: (types: ReadonlySet<ActivityType>) => void
  readonly onError: (error: unknown) => void
}

const KNOWN = ['types', 'handler', 'queue', 'fleet', 'signal']

export class ActivityHub {
  readonly #options: EventHubOptions
  readonly #subscriptions = new Set<Subscription>()
  readonly #streams = new Set<EventStream<ActivityEvent>>()
  #wanted: ReadonlySet<ActivityType> = new Set()

  constructor(options: EventHubOptions) {
    this.#options = options
  }

  /** Whether somebody in this process wants to know: otherwise the event need not be made. */
  wants(type: ActivityType): boolean {
    return this.#wanted.size > 0 && this.#wanted.has(type)
  }

  /** Returns how to stop listening. */
  listen(type: ActivityType, listener: unknown, options: ListenOptions, once: boolean): () => void {
    const { fleet = false } = checkedOptions(options, ['fleet'])
    if (typeof listener !== 'function') refuseOption('listener', 'a function', listener)
    const types = new Set([checkActivityType(type, checkFlag(fleet))])
    const stop = () => this.#remove(subscription)
    const give = (event: ActivityEvent) => {
      if (once) stop()
      return (listener as ActivityListener<ActivityType>)(event)
    }
    const subscription: Subscription = { types, fleet, listener, give }
    this.#subscriptions.add(subscription)
    this.#changed()
    return stop
  }

  off(type: ActivityType, listener: unknown): void {
    for (const subscription of [...this.#subscriptions])
      if (subscription.listener === listener && subscription.types.has(type))
        this.#remove(subscription)
  }

  #remove(subscription: Subscription): void {
    if (this.#subscriptions.delete(subscription)) this.#changed()
  }

  /** Listens from now on, also before the loop asks for the first. */
  stream<Name extends ActivityType>(
    options: ActivityOptions<Name>,
  ): EventStream<ActivityEvent<Name>> {
    const { handler, queue, signal, fleet, types } = compile(options)
    const stream: EventStream<ActivityEvent> = new EventStream(() => {
      signal?.removeEventListener('abort', end)
      this.#streams.delete(stream)
      this.#remove(subscription)
    })
    const end = () => stream.close()
    const give = (event: ActivityEvent) => {
      const { handler: of, queue: from } = event as { handler?: string; queue?: string }
      if (handler !== undefined && of !== handler) return
      if (queue === undefined || from === queue) stream.push(event)
    }
    const subscription: Subscription = { types: new Set(types), fleet, listener: stream, give }
    this.#subscriptions.add(subscription)
    this.#streams.add(stream)
    this.#changed()
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
    // It is given nothing else.
    return stream as unknown as EventStream<ActivityEvent<Name>>
  }

  #changed(): void {
    const typesOf = (fleet: boolean) => {
      const those = [...this.#subscriptions].filter((it) => it.fleet === fleet)
      return new Set(those.flatMap(({ types }) => [...types]))
    }
    this.#wanted = typesOf(false)
    this.#options.onFleetWanted(typesOf(true))
  }

  tell(event: ActivityEvent, fleet = false): void {
    for (const subscription of [...this.#subscriptions])
      if (subscription.fleet === fleet && subscription.types.has(event.type))
        this.#give(subscription, event)
  }

  #give(subscription: Subscription, event: ActivityEvent): void {
    try {
      const answer = subscription.give(event)
      if (answer instanceof Promise) answer.catch((error) => this.#options.onError(error))
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** Nothing more is told: loops over events end. */
  close(): void {
    for (const stream of [...this.#streams]) stream.close()
    this.#subscriptions.clear()
    this.#changed()
  }
}

function checkFlag(fleet: unknown): boolean {
  if (typeof fleet === 'boolean') return fleet
  return refuseOption('fleet', 'true or false', fleet)
}

function compile(options: ActivityOptions) {
  for (const name of Object.keys(options))
    if (!KNOWN.includes(name)) refuseOption('options', `made of ${KNOWN.join(', ')}`, name)
  const { handler, queue, signal, types } = options
  const fleet = checkFlag(options.fleet ?? false)
  if (types !== undefined && !(Array.isArray(types) && types.length > 0))
    refuseOption('types', 'a list of at least one name; leave it out to be told of all', types)
  if (handler !== undefined) checkName('handler', handler)
  if (queue !== undefined) checkName('queue', queue)
  const wanted = types?.map((type) => checkActivityType(type, fleet))
  return { handler, queue, signal, fleet, types: wanted ?? (fleet ? fleetActivity : localActivity) }
}
