/**
 * Divides the shards among the planners that are alive by rendezvous hashing: each shard goes to the planner
 * with the highest hash of the two, so that one that comes or goes moves only the shards that are its own.
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
      // Equal weights: everybody must come to the same answer.
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
  // The last step of a good hash: neighbouring shards must not go together.
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507) >>> 0
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909) >>> 0
  return (hash ^ (hash >>> 16)) >>> 0
}
