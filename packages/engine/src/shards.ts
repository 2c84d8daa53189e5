/**
 * Divides the shards among the live planners by rendezvous hashing: each shard goes to the planner
 * with the highest hash of the two. When a planner starts or ends, only its own shards move.
 */
export const SHARDS = 256

export function ownedShards(self: string, planners: readonly string[]): number[] {
  const all = planners.includes(self) ? planners : [self, ...planners]
  const owned: number[] = []
  for (let shard = 0; shard < SHARDS; shard++) {
    let best = ''
    let bestWeight = -1
    for (const planner of all) {
      const weight = weightOf(planner, shard)
      // With equal weights every planner must still choose the same owner.
      if (weight > bestWeight || (weight === bestWeight && planner > best)) {
        best = planner
        bestWeight = weight
      }
    }
    if (best === self) owned.push(shard)
  }
  return owned
}

function weightOf(planner: string, shard: number): number {
  let hash = 2_166_136_261 ^ shard
  hash = Math.imul(hash, 16_777_619) >>> 0
  for (let i = 0; i < planner.length; i++)
    hash = Math.imul(hash ^ planner.charCodeAt(i), 16_777_619) >>> 0
  // A final mix: without it, neighbouring shards would go to the same planner.
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507) >>> 0
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909) >>> 0
  return (hash ^ (hash >>> 16)) >>> 0
}
