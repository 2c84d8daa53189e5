/**
 * How far a job's runs are moved from their slots: the same for every slot of a job, different from job to
 * job, so that jobs of one second are spread and each keeps its period.
 */
export function jitterOf(jobId: string, jitterMs: number): number {
  if (jitterMs === 0) return 0
  let hash = 2_166_136_261
  for (let i = 0; i < jobId.length; i++)
    hash = Math.imul(hash ^ jobId.charCodeAt(i), 16_777_619) >>> 0
  return Math.floor((hash / 4_294_967_296) * jitterMs)
}
