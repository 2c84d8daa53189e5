/**
 * Returns the delay of a job's runs: the same for every slot of a job, different between jobs, so
 * that jobs with the same slots spread out and each keeps its period.
 */
export function jitterOf(jobId: string, jitterMs: number): number {
  if (jitterMs === 0) return 0
  let hash = 2_166_136_261
  for (let i = 0; i < jobId.length; i++)
    hash = Math.imul(hash ^ jobId.charCodeAt(i), 16_777_619) >>> 0
  return Math.floor((hash / 4_294_967_296) * jitterMs)
}
