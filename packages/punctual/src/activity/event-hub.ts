/**
 * The registry of listeners. Events of this process are delivered at once, where they happen;
 * events of the fleet come from FleetWatch, which reads only while a listener exists. A listener
 * that throws, or whose promise rejects, is reported and does not affect the others.
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

/** The reach of a listener. */
export interface ListenOptions {
  /**
   * Receives events of all processes, about one second later, instead of only those of this one:
   * events of the default tenant's runs and of workers.
   * @default false
   */
  fleet?: boolean
}

/** Which events a stream receives. */
export interface ActivityOptions<Name extends ActivityType = ActivityType> extends ListenOptions {
  /** Event types, at least one. @default all types of the reach */
  types?: readonly Name[]
  /** Only events of runs of this handler. */
  handler?: string
  /** Only events of runs in this queue. */
  queue?: string
  /** Ends the stream when it is aborted. */
  signal?: AbortSignal
}

/** Called with each event. Errors that it throws are reported and do not affect other listeners. */
export type ActivityListener<Name extends ActivityType> = (event: ActivityEvent<Name>) => unknown

interface Subscription {
  readonly types: ReadonlySet<ActivityType>
  readonly fleet: boolean
  readonly listener: unknown
  deliver(event: ActivityEvent): unknown
}

export interface EventHubOptions {
  /**
   * Called with all types that fleet listeners currently want; the set is empty when there are
   * none.
   */
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

  /** Whether a listener in this process wants this type; if not, the event need not be created. */
  wants(type: ActivityType): boolean {
    return this.#wanted.size > 0 && this.#wanted.has(type)
  }

  /** Returns a function that stops listening. */
  listen(type: ActivityType, listener: unknown, options: ListenOptions, once: boolean): () => void {
    const { fleet = false } = checkedOptions(options, ['fleet'])
    if (typeof listener !== 'function') refuseOption('listener', 'a function', listener)
    const types = new Set([checkActivityType(type, checkFlag(fleet))])
    const stop = () => this.#remove(subscription)
    const deliver = (event: ActivityEvent) => {
      if (once) stop()
      return (listener as ActivityListener<ActivityType>)(event)
    }
    const subscription: Subscription = { types, fleet, listener, deliver }
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

  /** Buffers events from now on, even before the loop requests the first one. */
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
    const deliver = (event: ActivityEvent) => {
      const { handler: eventHandler, queue: eventQueue } = event as {
        handler?: string
        queue?: string
      }
      if (handler !== undefined && eventHandler !== handler) return
      if (queue === undefined || eventQueue === queue) stream.push(event)
    }
    const subscription: Subscription = { types: new Set(types), fleet, listener: stream, deliver }
    this.#subscriptions.add(subscription)
    this.#streams.add(stream)
    this.#changed()
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted) end()
    // The subscription delivers only events of these types.
    return stream as unknown as EventStream<ActivityEvent<Name>>
  }

  #changed(): void {
    const typesOf = (fleet: boolean) => {
      const matching = [...this.#subscriptions].filter(
        (subscription) => subscription.fleet === fleet,
      )
      return new Set(matching.flatMap(({ types }) => [...types]))
    }
    this.#wanted = typesOf(false)
    this.#options.onFleetWanted(typesOf(true))
  }

  publish(event: ActivityEvent, fleet = false): void {
    for (const subscription of [...this.#subscriptions])
      if (subscription.fleet === fleet && subscription.types.has(event.type))
        this.#deliver(subscription, event)
  }

  #deliver(subscription: Subscription, event: ActivityEvent): void {
    try {
      const answer = subscription.deliver(event)
      if (answer instanceof Promise) answer.catch((error) => this.#options.onError(error))
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** Ends all streams and removes all listeners. */
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
    if (!KNOWN.includes(name))
      refuseOption('options', `an object with only ${KNOWN.join(', ')}`, name)
  const { handler, queue, signal, types } = options
  const fleet = checkFlag(options.fleet ?? false)
  if (types !== undefined && !(Array.isArray(types) && types.length > 0))
    refuseOption('types', 'a list of at least one type; leave it out to receive all', types)
  if (handler !== undefined) checkName('handler', handler)
  if (queue !== undefined) checkName('queue', queue)
  const wanted = types?.map((type) => checkActivityType(type, fleet))
  return { handler, queue, signal, fleet, types: wanted ?? (fleet ? fleetActivity : localActivity) }
}
