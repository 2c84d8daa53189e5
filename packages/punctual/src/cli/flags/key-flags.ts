/** Keys: the flags of `submit`, and how it reports a key that is taken. */
import type { KeyOptions, OnConflict, Submitted } from '@punctual/core/submit'
import type { Command } from 'commander'
import { parseDuration } from './durations.ts'

export interface KeyFlags {
  key?: string
  onConflict?: string
  window?: string
  maxWait?: string
}

export function addKeyFlags(command: Command): Command {
  return command
    .option('--key <text>', 'allow one live run with this key; see --on-conflict')
    .option(
      '--on-conflict <what>',
      'when the key is taken: return, replace, debounce, throttle, error (default: return)',
    )
    .option('--window <time>', 'time window of debounce, throttle and return: 5s, 10m, 24h')
    .option('--max-wait <time>', 'debounce: run at most this long after the first submission')
}

export function keyOptions({ key, onConflict, window, maxWait }: KeyFlags): KeyOptions {
  return {
    ...(key !== undefined && { key }),
    // The library refuses any other value.
    ...(onConflict !== undefined && { onConflict: onConflict as OnConflict }),
    ...(window !== undefined && { window: parseDuration('--window', window) }),
    ...(maxWait !== undefined && { maxWait: parseDuration('--max-wait', maxWait) }),
  }
}

export function keyAnswer({ id, outcome }: Submitted): string {
  if (outcome === 'created') return `Submitted ${id}`
  return outcome === 'replaced' ? `Replaced ${id}` : `A run with this key exists: ${id}`
}
