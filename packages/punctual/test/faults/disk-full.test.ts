/**
 * A full disk of the server: submissions are refused with a code, no accepted run is lost, and work
 * continues by itself when there is space again.
 */
import { randomBytes } from 'node:crypto'
import { eventually } from '@punctual/testkit'
import { Punctual, PunctualError } from 'punctual'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canMount, type Disk, SmallDisks } from '../kit/small-disks.ts'

/** Incompressible data. */
const aPayload = () => ({ bytes: randomBytes(300_000).toString('base64') })
const SUBMISSIONS_MAX = 1_000

// skips: a small disk needs a mount namespace, which some containers and other systems refuse
describe.skipIf(!canMount)('a full disk', () => {
  let disks: SmallDisks
  let punctual: Punctual

  beforeAll(async () => {
    disks = await SmallDisks.start()
    punctual = await Punctual.start({ databaseUrl: disks.url, logger: false })
  }, 120_000)
  afterAll(async () => {
    await punctual.stop()
    await disks.stop()
  }, 60_000)

  /** Submits until it is refused; returns the accepted runs and the refusal. */
  async function submitUntilRefused(handler: string) {
    const accepted: string[] = []
    for (let i = 0; i < SUBMISSIONS_MAX; i++)
      try {
        accepted.push((await punctual.submit(handler, aPayload(), { key: `${handler} ${i}` })).id)
      } catch (error) {
        return { accepted, error }
      }
    throw new Error('No submission was refused.')
  }

  async function holds(disk: Disk, code: string): Promise<void> {
    const handler = `on-${disk}`
    const before = await punctual.submitMany(handler, [1, 2, 3])
    await disks.fill(disk)
    const { accepted, error } = await submitUntilRefused(handler)
    expect(error).toBeInstanceOf(PunctualError)
    expect((error as PunctualError).code).toBe(code)
    const starts: string[] = []
    punctual.handler(handler, (_, ctx) => void starts.push(ctx.runId))
    await disks.free(disk)
    await eventually('the server answers', () =>
      punctual.runs.get(before[0]?.id as string).then(
        () => true,
        () => false,
      ),
    )
    const ids = [...before.map(({ id }) => id), ...accepted]
    for (const id of ids)
      expect(await punctual.runs.waitFor(id, { timeoutMs: 90_000 })).toMatchObject({
        state: 'succeeded',
        possibleDuplicate: false,
      })
    await eventually('submissions are accepted again', () =>
      punctual.submit(handler, 4).then(
        () => true,
        () => false,
      ),
    )
    expect(new Set(starts).size).toBe(starts.length)
  }

  it('a full table disk refuses submissions, and every accepted run is run (case 53)', async () => {
    await holds('tables', 'database_full')
  }, 180_000)

  it('a full log disk stops the server, and every accepted run is run (case 52)', async () => {
    await holds('log', 'database_unavailable')
  }, 180_000)
})
