/** Keys: the flags of `submit`, and what it says when a key was taken. */
import type { KeyOptions, OnConflict } from '@punctual/core/submit'
import type { Command } from 'commander'
import type { Submitted } from '../../submit/handler-handle.ts'
import { parseDuration } from './durations.ts'

export interface KeyFlags {
  key?: string
  onConflict?: string
  window?: string
  maxWait?: string
}

export function addKeyFlags(command: Command): Command {
  return command
    .option('--key <text>', 'one live run per key: while one is live, it is returned instead')
    .option('--on-conflict <what>', 'or: replace, debounce, throttle, error (default: return)')
    .option('--window <time>', 'of debounce, throttle and return: 500ms, 5s, 10m, 24h, 7d')
    .option('--max-wait <time>', 'debounce: due so long after the first submission at the latest')
}

export function keyOptions({ key, onConflict, window, maxWait }: KeyFlags): KeyOptions {
  return {
    ...(key !== undefined && { key }),
    // Others are refused by the library.
    ...(onConflict !== undefined && { onConflict: onConflict as OnConflict }),
    ...(window !== undefined && { window: parseDuration('--window', window) }),
    ...(maxWait !== undefined && { maxWait: parseDuration('--max-wait', maxWait) }),
  }
}

export function keyAnswer({ id, outcome }: Submitted): string {
  if (outcome === 'created') return `Submitted ${id}`
  return outcome === 'replaced' ? `Replaced ${id}` : `A run has this key: ${id}`
}
