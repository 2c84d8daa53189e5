import { describe, expect, test } from 'vitest'
import { type Bounds, type Half, judge, type Observed } from './verdict.ts'

const bounds: Bounds = {
  ...{ leaseMs: 5_000, nodes: 2, connections: 47, tenantHttpRate: 1_000, tenantStreams: 500 },
}

/** A thousand runs, each of which starts this late. */
function half(latenessMs: number, more: Partial<Half> = {}): Half {
  return {
    ...{ latenessMs: new Array<number>(1_000).fill(latenessMs), requests: 1_000, failed: 0 },
    ...{ failures: {}, ...more },
  }
}

function observed(more: Partial<Observed> = {}): Observed {
  return {
    ...{ alone: half(200), attacked: half(390), recoveryMs: 6_000 },
    usage: { connections: { 'node-1': 20 }, memoryBytes: { 'node-1': 200_000_000 }, deaths: [] },
    hostile: { seconds: 10, sent: 20_000, admitted: 15_000, streams: 900, rows: { pauses: 1_000 } },
    ...more,
  }
}

const violations = (given: Observed) =>
  judge(given, bounds)
    .lines.filter(({ holds }) => !holds)
    .map(({ name }) => name)

describe('the verdict on a hostile tenant', () => {
  test('passes while the steady tenant is within twice its figures alone', () => {
    expect(judge(observed(), bounds).pass).toBe(true)
  })

  test.each<[string, Partial<Observed>, string]>([
    ['lateness doubles', { attacked: half(401) }, 'lateness p99, ms'],
    ['requests fail', { attacked: half(200, { failed: 20 }) }, 'failed requests'],
    ['the run of a dead worker is late', { recoveryMs: 10_001 }, 'recovery of a killed worker, ms'],
    ['that run never starts', { recoveryMs: null }, 'recovery of a killed worker, ms'],
  ])('fails when %s', (_, more, name) => {
    expect(violations(observed(more))).toEqual([name])
  })

  test('counts a run that never started as infinitely late', () => {
    const latenessMs = [
      ...new Array<number>(980).fill(1),
      ...new Array<number>(20).fill(Number.POSITIVE_INFINITY),
    ]
    expect(violations(observed({ attacked: half(0, { latenessMs }) }))).toEqual([
      'lateness p99, ms',
    ])
  })

  test('names every process and resource that went beyond its bound', () => {
    const usage = {
      connections: { 'node-1': 20, 'node-2': 48 },
      memoryBytes: { 'node-1': 2 ** 31 },
      deaths: ['node-1 ended: SIGKILL'],
    }
    expect(violations(observed({ usage }))).toEqual([
      ...['processes that ended', 'memory of a process, MiB', 'connections of a process'],
    ])
  })

  test('fails when the attack was too weak to prove anything', () => {
    const hostile = { ...observed().hostile, sent: 9_000 }
    expect(violations(observed({ hostile }))).toEqual(['requests, hostile : steady'])
  })

  test('fails when the hostile tenant got more than its documented bounds', () => {
    const hostile = { ...observed().hostile, admitted: 30_000, rows: { pauses: 3_000 } }
    expect(violations(observed({ hostile }))).toEqual([
      ...['hostile requests admitted a second', 'hostile rows: pauses'],
    ])
  })
})
