/**
 * The states of an attempt, and the one function that moves it from state to state. Pure: the
 * attempt performs the effects. An attempt is open until an event decides its ending; after that
 * nothing changes the ending, and only the return of its handler is still noted.
 */
import { invariant } from '@punctual/core/errors'

/** The ending is undecided, and the handler has not returned. */
export type OpenState =
  | { readonly kind: 'running' }
  /** The worker asked the handler to stop, because the lease is lost or the worker stops. */
  | { readonly kind: 'interrupted'; readonly reason: Error }
  /** The handler was asked to stop, and has a grace period to do so. */
  | { readonly kind: 'timed_out'; readonly reason: Error }
  /** A user cancelled the run; the handler has a grace period to stop. */
  | {
      readonly kind: 'cancelled'
      readonly reason: string
      readonly error: Error
      /** The timeout that preceded the cancellation. */
      readonly timeout: Error | null
    }

export interface EndedState {
  readonly kind: 'ended'
  readonly ending: Ending
  /** False while the handler is still executing. */
  readonly returned: boolean
}

export type AttemptState = OpenState | EndedState

/** How an attempt ended, before it is translated into a settlement. */
export type Ending =
  | { readonly kind: 'succeeded'; readonly value: unknown }
  | {
      readonly kind: 'failed'
      readonly outcome: 'failed' | 'timed_out'
      readonly thrown: unknown
    }
  | { readonly kind: 'cancelled'; readonly reason: string; readonly thrown: unknown }
  /** The run returns to be tried again, at once. */
  | { readonly kind: 'abandoned'; readonly reason: Error }
  /** The handler's own transaction settled the run. */
  | { readonly kind: 'committed' }

export type AttemptEvent =
  | { readonly kind: 'return'; readonly value: unknown }
  | { readonly kind: 'throw'; readonly thrown: unknown }
  /** The handler's own transaction committed. */
  | { readonly kind: 'commit' }
  | { readonly kind: 'time_out'; readonly reason: Error }
  | { readonly kind: 'interrupt'; readonly reason: Error }
  | { readonly kind: 'cancel'; readonly reason: string; readonly error: Error }
  /** The grace period of a timeout or a cancellation is over. */
  | { readonly kind: 'grace_over' }
  /** The worker stops and waits no longer. */
  | { readonly kind: 'abandon'; readonly reason: Error }

export const RUNNING: AttemptState = { kind: 'running' }

export function transition(state: AttemptState, event: AttemptEvent): AttemptState {
  if (state.kind === 'ended') return afterEnd(state, event)
  switch (event.kind) {
    case 'return':
      return { kind: 'ended', ending: endingOfReturn(state, event.value), returned: true }
    case 'throw':
      return { kind: 'ended', ending: endingOfThrow(state, event.thrown), returned: true }
    case 'commit':
      return { kind: 'ended', ending: { kind: 'committed' }, returned: false }
    case 'abandon':
      return {
        kind: 'ended',
        ending: { kind: 'abandoned', reason: event.reason },
        returned: false,
      }
    case 'grace_over':
      return { kind: 'ended', ending: endingOfGrace(state), returned: false }
    default:
      return afterSignal(state, event)
  }
}

function afterEnd(state: EndedState, event: AttemptEvent): EndedState {
  const returns = event.kind === 'return' || event.kind === 'throw'
  return returns && !state.returned ? { ...state, returned: true } : state
}

type SignalEvent = Extract<AttemptEvent, { kind: 'time_out' | 'interrupt' | 'cancel' }>

/**
 * The strongest signal decides: a cancellation, then a timeout, then an interruption. A weaker
 * signal, or the same one again, changes nothing; the last interruption counts.
 */
function afterSignal(state: OpenState, event: SignalEvent): OpenState {
  if (state.kind === 'cancelled') return state
  if (event.kind === 'cancel') {
    const timeout = state.kind === 'timed_out' ? state.reason : null
    return { kind: 'cancelled', reason: event.reason, error: event.error, timeout }
  }
  if (state.kind === 'timed_out') return state
  const kind = event.kind === 'time_out' ? 'timed_out' : 'interrupted'
  return { kind, reason: event.reason }
}

/** A handler that completes succeeds, unless its time was over. */
function endingOfReturn(state: OpenState, value: unknown): Ending {
  if (state.kind === 'timed_out') return timedOut(state.reason)
  if (state.kind === 'cancelled' && state.timeout) return timedOut(state.timeout)
  return { kind: 'succeeded', value }
}

function endingOfThrow(state: OpenState, thrown: unknown): Ending {
  switch (state.kind) {
    case 'running':
      return { kind: 'failed', outcome: 'failed', thrown }
    case 'interrupted':
      return { kind: 'abandoned', reason: state.reason }
    case 'timed_out':
      return timedOut(thrown)
    case 'cancelled':
      return { kind: 'cancelled', reason: state.reason, thrown }
  }
}

function endingOfGrace(state: OpenState): Ending {
  if (state.kind === 'timed_out') return timedOut(state.reason)
  invariant(state.kind === 'cancelled', 'a grace period follows a timeout or a cancellation')
  return { kind: 'cancelled', reason: state.reason, thrown: state.error }
}

function timedOut(thrown: unknown): Ending {
  return { kind: 'failed', outcome: 'timed_out', thrown }
}
