import { describe, expect, test } from 'vitest'
import { type Place, type Transition, transitions } from './transitions.ts'

const rows: readonly Transition[] = transitions
const places: readonly Place[] = ['later', 'queue', 'parked', 'leases', 'outcomes']
const steps = rows.flatMap((row) => row.from.map((from) => ({ ...row, from })))

describe('the lifecycle', () => {
  test('has no duplicate transition', () => {
    const named = steps.map(({ event, from, to }) => `${event}: ${from} -> ${to}`)
    expect(named).toEqual([...new Set(named)])
  })

  test('distinguishes two transitions from one place by one event by their conditions', () => {
    const conditions = steps.map(({ event, from, when }) => `${event} from ${from} when ${when}`)
    expect(conditions).toEqual([...new Set(conditions)])
  })

  test('leads from nowhere to every place', () => {
    const reached = new Set<Place>(['nowhere'])
    for (let before = 0; before < reached.size; ) {
      before = reached.size
      for (const { from, to } of steps) if (reached.has(from)) reached.add(to)
    }
    expect([...reached].sort()).toEqual(['nowhere', ...places].sort())
  })

  test('leads from every place to an outcome', () => {
    const ending = new Set<Place>(['outcomes'])
    for (let before = 0; before < ending.size; ) {
      before = ending.size
      for (const { from, to } of steps) if (ending.has(to)) ending.add(from)
    }
    expect([...ending].sort()).toEqual(['nowhere', ...places].sort())
  })

  test('never leaves an outcome, and never loses a run', () => {
    const later = steps.filter(({ from }) => from === 'outcomes')
    expect(later.map(({ event, to, by }) => `${event} ${to} ${by}`)).toEqual([
      'resolve outcomes client',
    ])
    expect(rows.filter(({ to }) => to === 'nowhere')).toEqual([])
  })

  test('lets only a client or a planner create runs', () => {
    const brings = steps.filter(({ from }) => from === 'nowhere')
    expect(new Set(brings.map(({ by }) => by))).toEqual(new Set(['client', 'planner']))
  })

  test('lets only a worker start runs, and leave them to their targets', () => {
    expect(
      steps.filter(({ to }) => to === 'leases').map(({ event, by }) => `${event} ${by}`),
    ).toEqual(['claim worker', 'await worker'])
    const ends = steps.filter(({ from }) => from === 'leases')
    expect(new Set(ends.map(({ by }) => by))).toEqual(
      new Set(['worker', 'reaper', 'client', 'attendant']),
    )
  })

  test('returns the runs of a dead session, ends them, or declares them lost', () => {
    const reaped = rows.filter(({ by }) => by === 'reaper')
    expect(reaped.map(({ event, to }) => `${event} ${to}`)).toEqual([
      'reap queue',
      'quarantine outcomes',
      'lose outcomes',
      'abandon outcomes',
    ])
    expect(reaped.every(({ from }) => from.join() === 'leases')).toBe(true)
  })

  test('lets a client change only runs that have not started, end those of targets, and resolve unknown ones', () => {
    const steering = rows.filter(
      ({ event, by, from }) =>
        by === 'client' &&
        from[0] !== 'nowhere' &&
        !['resolve', 'report', 'recall'].includes(event),
    )
    expect(new Set(steering.flatMap(({ from }) => from))).toEqual(
      new Set(['later', 'queue', 'parked']),
    )
  })

  test('lets a parked run start only through the queue, where a claim takes its hold', () => {
    const out = steps
      .filter(({ from, to }) => from === 'parked' && to !== 'parked')
      .map(({ event, to }) => `${event} ${to}`)
    expect(out.sort()).toEqual([
      'cancel outcomes',
      'release queue',
      'replace later',
      'replace queue',
      'skip outcomes',
      'supersede outcomes',
    ])
  })

  test('describes the condition of every transition', () => {
    for (const { event, when } of rows) {
      expect(event).toMatch(/^[a-z]+$/)
      expect(when).toMatch(/^[a-z].+[a-z]$/)
    }
  })
})
