/** The virtual clock that ships to users: a year in milliseconds, on the real planner. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type LabJob, ScheduleLab } from 'punctual/testing'
import { describe, expect, it } from 'vitest'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const whole = { holes: [], doubles: [] }

async function year(job: Omit<LabJob, 'name'>, more: object = {}): Promise<ScheduleLab> {
  const lab = new ScheduleLab({ start: '2026-01-01', jobs: [{ name: 'job', ...job }], ...more })
  await lab.run({ until: '2027-01-01' })
  return lab
}

/** The local hours and minutes of one day's slots. */
function on(lab: ScheduleLab, day: string, name = 'job'): string[] {
  return lab
    .ledger(name)
    .map(({ slotAt }) => slotAt.toISOString())
    .filter((text) => text.startsWith(day))
    .map((text) => text.slice(11, 16))
}

describe('a year', () => {
  it('an hourly job runs once in every hour of a year', async () => {
    const lab = await year({ cron: '0 * * * *' })
    // The last slot is planned ahead of the new year.
    expect(lab.tally('job')).toEqual({ 'run on-time succeeded': 8_761 })
    expect(lab.verify()).toEqual(whole)
    expect(lab.now).toEqual(new Date('2027-01-01'))
  })

  it('a job at 02:30 in Berlin runs on both days on which the clocks change', async () => {
    const lab = await year({ cron: '30 2 * * *', timezone: 'Europe/Berlin' })
    expect(lab.ledger('job')).toHaveLength(365)
    expect(on(lab, '2026-03-28')).toEqual(['01:30'])
    expect(on(lab, '2026-03-29')).toEqual(['01:00'])
    expect(on(lab, '2026-03-30')).toEqual(['00:30'])
    expect(on(lab, '2026-10-25')).toEqual(['00:30'])
    expect(lab.verify()).toEqual(whole)
  })

  it.each([
    ['skip', 'first', 364],
    ['shift', 'last', 365],
    ['run-after', 'both', 366],
  ] as const)(
    'a year with the gap %s and the fold %s has the expected number of slots',
    async (gap, fold, slots) => {
      const job = { cron: '30 2 * * *', timezone: 'Europe/Berlin', dst: { gap, fold } }
      const lab = await year(job)
      expect(lab.ledger('job')).toHaveLength(slots)
      expect(lab.verify()).toEqual(whole)
    },
  )

  it('a job every quarter of an hour keeps its cadence through both clock changes', async () => {
    const lab = await year({ cron: '*/15 * * * *', timezone: 'America/New_York' })
    expect(lab.tally('job')).toEqual({ 'run on-time succeeded': 365 * 96 + 1 })
  })

  it('a year of many kinds of jobs with several planners is complete', async () => {
    const jobs: LabJob[] = [
      { name: 'cron', cron: '*/20 * * * *', timezone: 'Australia/Lord_Howe', takesMs: 25 * MINUTE },
      { name: 'every', every: '7h', misfire: 'latest' },
      { name: 'month', every: 'P1M', timezone: 'Asia/Tokyo', takesMs: HOUR },
      { name: 'after', everyAfterEnd: '50m', takesMs: 10 * MINUTE },
      { name: 'once', at: '2026-06-01T12:00:00Z' },
      { name: 'few', cron: '0 0 * * MON', maxRuns: 10 },
      { name: 'until', cron: '0 12 * * *', endAt: '2026-02-01' },
    ]
    const lab = new ScheduleLab({ start: '2026-01-01', jobs, planners: 3 })
    lab.outage('2026-05-01', '2026-05-02T13:07:00Z')
    await lab.run({ until: '2027-01-01' })
    expect(lab.verify()).toEqual(whole)
    expect(lab.ledger('once')).toHaveLength(1)
    expect(lab.tally('few')).toEqual({ 'run on-time succeeded': 10 })
    expect(lab.ledger('until')).toHaveLength(31)
    expect(lab.tally('after')['run on-time succeeded']).toBeGreaterThan(8_600)
  })

  it('a year of a job that fires every few seconds needs little memory', async () => {
    const lab = new ScheduleLab({
      ...{ start: '2026-01-01', jobs: [{ name: 'tick', cron: '* * * * * *' }] },
      ...{ aheadMs: HOUR, tickEveryMs: HOUR / 2 },
    })
    await lab.run({ until: '2026-01-15' })
    expect(lab.tally('tick')['run on-time succeeded']).toBe(14 * 86_400 + 1)
    expect(lab.verify()).toEqual(whole)
  })
})

describe('an outage', () => {
  const outage = async (misfire: LabJob['misfire']) => {
    const lab = new ScheduleLab({
      start: '2026-01-01',
      jobs: [{ name: 'job', cron: '* * * * *', ...(misfire && { misfire }) }],
    })
    // The slot of 10:01 is already in the queue.
    lab.outage('2026-01-01T10:00:30Z', '2026-01-01T13:00:30Z')
    await lab.run({ until: '2026-01-02' })
    expect(lab.verify()).toEqual(whole)
    return lab
  }

  it('after three hours the last hour is caught up slot by slot, and the older slots together', async () => {
    const lab = await outage(undefined)
    const [together] = lab.ledger('job').filter(({ reason }) => reason === 'coalesced')
    expect(together).toMatchObject({
      ...{ fromAt: new Date('2026-01-01T10:02:00Z'), slotAt: new Date('2026-01-01T12:00:00Z') },
      ...{ slots: 119, run: { startedAt: new Date('2026-01-01T13:00:30Z') } },
    })
    expect(lab.tally('job')['run late succeeded']).toBe(59)
  })

  it('with misfire latest an outage becomes one run', async () => {
    const lab = await outage('latest')
    const made = lab.ledger('job').filter(({ reason }) => reason !== 'on-time')
    expect(made).toMatchObject([{ decision: 'run', reason: 'coalesced', slots: 178 }])
  })

  it('with misfire none an outage becomes one skip', async () => {
    const lab = await outage('none')
    const made = lab.ledger('job').filter(({ reason }) => reason !== 'on-time')
    expect(made).toMatchObject([{ decision: 'skip', reason: 'misfire', slots: 178 }])
  })

  it('after an outage the missed runs follow at the drip rate', async () => {
    const lab = await outage({ policy: 'all', maxCount: 5, dripMs: 10_000 })
    const late = lab.ledger('job').filter(({ reason }) => reason === 'late')
    expect(late.map(({ run }) => run?.startedAt?.toISOString().slice(14, 19))).toEqual([
      ...['00:40', '00:50', '01:00', '01:10', '01:20'],
    ])
  })

  it('an outage of one of two planners delays nothing', async () => {
    const jobs = Array.from({ length: 40 }, (_, i) => ({ name: `job ${i}`, cron: '* * * * * *' }))
    const lab = new ScheduleLab({ start: '2026-01-01', jobs, planners: 2 })
    lab.outage('2026-01-01T00:01:00Z', '2026-01-01T00:05:00Z', { planners: [1] })
    await lab.run({ until: '2026-01-01T00:06:00Z' })
    expect(lab.verify()).toEqual(whole)
    for (const { name } of jobs)
      for (const { slotAt, run } of lab.ledger(name))
        if (run?.startedAt) expect(run.startedAt).toEqual(slotAt)
  })
})

describe('planners', () => {
  it('planners that race with clocks minutes apart leave no hole and no double', async () => {
    const jobs = [
      { name: 'a', cron: '*/5 * * * * *' },
      { name: 'b', every: '3s', maxRuns: 500 },
      { name: 'c', cron: '* * * * *', misfire: 'none' as const },
    ]
    const planners = [{ skewMs: 0 }, { skewMs: 5 * MINUTE }, { skewMs: -7 * MINUTE }]
    const lab = new ScheduleLab({ start: '2026-01-01', jobs, planners, race: true })
    lab.outage('2026-01-01T00:20:00Z', '2026-01-01T00:30:00Z')
    await lab.run({ until: '2026-01-01T01:00:00Z' })
    expect(lab.verify()).toEqual(whole)
    const runs = lab.ledger('b').filter(({ decision }) => decision === 'run')
    expect(runs).toHaveLength(500)
    for (const { slotAt, run } of lab.ledger('a'))
      if (run?.startedAt) expect(run.startedAt.getTime()).toBeGreaterThanOrEqual(slotAt.getTime())
  })
})

describe('runs that take longer than their period', () => {
  const hour = async (overlap: LabJob['overlap']) => {
    const lab = new ScheduleLab({
      start: '2026-01-01',
      jobs: [{ name: 'job', every: '10m', takesMs: 25 * MINUTE, ...(overlap && { overlap }) }],
    })
    await lab.run({ until: '2026-01-01T00:59:00Z' })
    expect(lab.verify()).toEqual(whole)
    return lab.ledger('job').map(({ run }) => run?.outcome ?? (run?.startedAt ? 'runs' : 'waits'))
  }

  it.each([
    [undefined, ['succeeded', 'skipped', 'skipped', 'succeeded', 'skipped', 'skipped']],
    ['allow', ['succeeded', 'succeeded', 'succeeded', 'succeeded', 'runs', 'runs']],
    ['queue-one', ['succeeded', 'succeeded', 'skipped', 'runs', 'skipped', 'waits']],
    ['queue-all', ['succeeded', 'succeeded', 'runs', 'waits', 'waits', 'waits']],
    ['cancel-previous', ['cancelled', 'cancelled', 'cancelled', 'cancelled', 'cancelled', 'runs']],
  ] as const)(
    'runs longer than their period with overlap %s (case 106)',
    async (overlap, outcomes) => {
      expect((await hour(overlap)).slice(0, 6)).toEqual(outcomes)
    },
  )

  it('with everyAfterEnd the next run comes a period after the end of the last', async () => {
    const lab = new ScheduleLab({
      start: '2026-01-01',
      jobs: [{ name: 'job', everyAfterEnd: '10m', takesMs: 25 * MINUTE }],
    })
    await lab.run({ until: '2026-01-01T02:00:00Z' })
    expect(on(lab, '2026-01-01')).toEqual(['00:00', '00:35', '01:10', '01:45'])
  })

  it('consecutive dead runs pause their job', async () => {
    const lab = new ScheduleLab({
      start: '2026-01-01',
      jobs: [
        { name: 'job', every: '1h', pauseAfterFailures: 3, fails: (at) => at.getUTCHours() > 4 },
      ],
    })
    await lab.run({ until: '2026-01-02' })
    expect(lab.tally('job')).toEqual({ 'run on-time succeeded': 5, 'run on-time dead': 3 })
    lab.resume('job')
    await lab.run({ until: '2026-01-02T00:30:00Z' })
    expect(lab.tally('job')).toMatchObject({ 'skip paused': 1 })
    expect(lab.verify()).toEqual(whole)
  })
})

describe('steering', () => {
  it('pause and resume leave one row', async () => {
    const lab = new ScheduleLab({ start: '2026-01-01', jobs: [{ name: 'job', cron: '0 * * * *' }] })
    lab.at('2026-01-01T06:30:00Z', () => lab.pause('job'))
    lab.at('2026-01-01T12:30:00Z', () => lab.resume('job'))
    await lab.run({ until: '2026-01-01T23:30:00Z' })
    const skipped = lab.ledger('job').filter(({ decision }) => decision === 'skip')
    expect(skipped).toMatchObject([{ reason: 'paused', slots: 6 }])
    expect(lab.verify()).toEqual(whole)
  })

  it('a pause after an outage leaves the slots missed before it to the misfire rules', async () => {
    const lab = new ScheduleLab({ start: '2026-01-01', jobs: [{ name: 'job', cron: '0 * * * *' }] })
    lab.outage('2026-01-01T02:30:00Z', '2026-01-01T08:30:00Z')
    lab.at('2026-01-01T06:30:00Z', () => lab.pause('job'))
    lab.at('2026-01-01T12:30:00Z', () => lab.resume('job'))
    await lab.run({ until: '2026-01-01T23:30:00Z' })
    expect(lab.ledger('job').filter(({ reason }) => reason !== 'on-time')).toMatchObject([
      { decision: 'run', reason: 'coalesced', slots: 3 },
      { decision: 'run', reason: 'late', slots: 1 },
      { decision: 'skip', reason: 'paused', slots: 6 },
    ])
    expect(lab.verify()).toEqual(whole)
  })

  it('resuming does not run a job that fires a period after its last run too early', async () => {
    const lab = new ScheduleLab({
      start: '2026-01-01',
      jobs: [{ name: 'job', everyAfterEnd: '6h' }],
    })
    lab.at('2026-01-01T01:00:00Z', () => lab.pause('job'))
    lab.at('2026-01-01T02:00:00Z', () => lab.resume('job'))
    await lab.run({ until: '2026-01-01T07:00:00Z' })
    const hours = lab.ledger('job').map(({ slotAt }) => slotAt.getUTCHours())
    expect(hours).toEqual([0, 6])
  })

  it('an edit withdraws planned slots, and a requested skip survives it', async () => {
    const lab = new ScheduleLab({
      start: '2026-01-01',
      jobs: [{ name: 'job', cron: '* * * * * *' }],
    })
    await lab.run({ until: '2026-01-01T00:01:00.500Z' })
    lab.skip('job', '2026-01-01T00:01:10Z')
    lab.upsert({ name: 'job', cron: '*/2 * * * * *' })
    await lab.run({ until: '2026-01-01T00:02:00Z' })
    const after = lab
      .ledger('job')
      .filter(({ slotAt }) => slotAt > new Date('2026-01-01T00:01:00Z'))
    for (const { slotAt } of after) expect(slotAt.getUTCSeconds() % 2).toBe(0)
    const skipped = after.filter(({ decision }) => decision === 'skip')
    expect(skipped).toMatchObject([{ slotAt: new Date('2026-01-01T00:01:10Z'), reason: 'asked' }])
    expect(lab.verify()).toEqual(whole)
  })

  it('a calendar keeps a job from running on its excluded days', async () => {
    const calendars = { holidays: { exclude: ['12-25', '12-26'] } }
    const lab = await year({ cron: '0 9 * * *', calendars: ['holidays'] }, { calendars })
    expect(lab.tally('job')).toEqual({ 'run on-time succeeded': 363, 'skip calendar': 2 })
    expect(lab.verify()).toEqual(whole)
  })

  it('unknown jobs and options are refused', () => {
    const lab = new ScheduleLab({ start: '2026-01-01', jobs: [{ name: 'job', cron: '0 * * * *' }] })
    expect(() => lab.pause('nobody')).toThrow('No job of this lab')
    expect(() => lab.skip('job', '2026-01-01T00:30:00Z')).toThrow('is not a future slot')
    lab.upsert({ name: 'short', cron: '0 * * * *', startAt: '2026-01-02', endAt: '2026-01-03' })
    expect(() => lab.skip('short', '2026-01-01T23:00:00Z')).toThrow('is not a future slot')
    expect(() => lab.skip('short', '2026-01-03T00:00:00Z')).toThrow('is not a future slot')
    expect(() => new ScheduleLab({ start: 'soon' })).toThrow('start must be')
    expect(() => lab.upsert({ name: 'bad', cron: '61 * * * *' })).toThrow()
  })
})

describe('the proof', () => {
  it('verify finds a lost slot and a slot that was decided twice', async () => {
    const { verifyLedger } = await import('../../src/testing/verify-ledger.ts')
    const next = (afterMs: number) => (Math.floor(afterMs / 1_000) + 1) * 1_000
    const entry = (slotMs: number) => ({ slotMs, fromMs: slotMs })
    const job = (slots: readonly number[]) => ({
      compiled: { name: 'job' },
      cursor: { paused: false, nextMs: 6_000, cursorMs: 5_000 },
      eras: [{ next, rhythm: 'rhythm', fromMs: 1_000, endMs: null, untilMs: Infinity }],
      ledger: { entries: () => slots.map(entry) },
    })
    const proof = (...slots: number[]) => {
      const { holes, doubles } = verifyLedger([job(slots)] as never, 5_500)
      return [
        holes.map((hole) => hole.slotAt.getTime()),
        doubles.map((double) => double.slotAt.getTime()),
      ]
    }
    expect(proof(1_000, 2_000, 3_000, 4_000, 5_000)).toEqual([[], []])
    expect(proof(1_000, 3_000, 4_000)).toEqual([[2_000, 5_000], []])
    expect(proof(1_000, 2_000, 2_000, 3_000, 4_000, 5_000)).toEqual([[], [2_000]])
    expect(proof(1_000, 2_000, 2_500, 3_000, 4_000, 5_000)).toEqual([[], [2_500]])
  })
})

it('the published example of the guide works', () => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url))
  const guide = readFileSync(`${root}/docs/guides/testing-schedules.md`, 'utf8')
  const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string)
  expect(blocks).toHaveLength(3)
  for (const code of blocks)
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root })
})
