/**
 * `H` in a cron field: a value that is constant for a job and evenly spread over all jobs, so that
 * a thousand hourly jobs do not start in the same second.
 */

/** Returns an integer from 0 to size - 1, derived from the job's seed and the name of the field. */
export function spreadOf(seed: string, field: string, size: number): number {
  // FNV-1a over the UTF-16 units; its low bits mix badly, so the finaliser of MurmurHash3 follows.
  let hash = 0x811c9dc5
  const text = `${field}:${seed}`
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193)
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % size
}
