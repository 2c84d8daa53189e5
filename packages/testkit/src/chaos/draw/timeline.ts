/**
 * The campaign as a picture: one lane per process with its lifetimes, its faults and the starts of
 * its handlers; below, the lateness of each run. It usually shows a problem first.
 */

import type { Verdict } from '../check/check.ts'
import { groupBy, type Indexed, indexEvidence } from '../check/index-evidence.ts'
import { latenesses } from '../check/measure.ts'
import type { Life } from '../fleet/child.ts'
import type { Evidence } from '../plan/evidence.ts'
import { dots, line, rect, text, ticks } from './svg.ts'

export interface Lane {
  readonly name: string
  readonly lives: readonly Life[]
}

export interface TimelineOptions {
  readonly title: string
  readonly lanes: readonly Lane[]
  readonly evidence: Evidence
  readonly verdict: Verdict
  readonly leaseMs: number
}

const LEFT = 110
const TOP = 58
const LANE = 26
const WIDTH = 1_500
const CHART = 190
const GREY = '#e8eaed'

const COLOURS: Readonly<Record<string, string>> = {
  kill9: '#c0392b',
  nodeKill9: '#78281f',
  stop: '#8e44ad',
  rolling: '#7f8c8d',
  clockStep: '#16a085',
  blackhole: '#2c3e50',
  cutUp: '#2980b9',
  cutDown: '#5dade2',
  reset: '#e67e22',
  slow: '#aab7b8',
  commitReplyLost: '#d81b60',
  answerLost: '#f48fb1',
  postmaster: '#b7950b',
  failover: '#f1c40f',
  standby: '#a04000',
  exhaust: '#6e2c00',
  pgbouncer: '#27ae60',
}

interface Scale {
  readonly x: (monotonicMs: number) => number
  readonly fromMs: number
  readonly untilMs: number
}

export function drawTimeline(options: TimelineOptions): string {
  const evidence = indexEvidence(options.evidence)
  const scale = scaleOf(evidence)
  const bottom = TOP + options.lanes.length * LANE
  const height = bottom + CHART + 60
  const body = [
    rect({ x: 0, y: 0, width: WIDTH, height }, '#ffffff'),
    text(12, 22, options.title, 'font-size="15" font-weight="bold"'),
    ...legend(options.verdict),
    ...seconds(scale, bottom + CHART),
    ...servers(evidence, scale, bottom),
    ...options.lanes.flatMap((lane, i) => drawLane(lane, TOP + i * LANE, evidence, scale)),
    ...lateness(evidence, options.leaseMs, scale, bottom + 24),
  ]
  const size = `width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`
  const font = 'font-family="system-ui, sans-serif" font-size="11"'
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font}>\n${body.join('\n')}\n</svg>\n`
}

function scaleOf({ ledger, fromMs, untilMs }: Indexed): Scale {
  const lastMs = ledger.effects.at(-1)?.monotonicMs ?? untilMs
  const endMs = Math.max(untilMs, lastMs) + 500
  const perMs = (WIDTH - LEFT - 12) / (endMs - fromMs)
  const x = (ms: number) => LEFT + Math.min(Math.max(0, ms - fromMs), endMs - fromMs) * perMs
  return { x, fromMs, untilMs: endMs }
}

function legend(verdict: Verdict): string[] {
  let x = LEFT
  return Object.entries(COLOURS).flatMap(([kind, colour]) => {
    const label = `${kind} ${verdict.faults[kind] ?? 0}`
    const box = rect({ x, y: 33, width: 10, height: 10 }, colour)
    const name = text(x + 14, 42, label)
    x += 22 + label.length * 6
    return [box, name]
  })
}

function seconds({ x, fromMs, untilMs }: Scale, bottom: number): string[] {
  const total = (untilMs - fromMs) / 1_000
  const step = [5, 10, 30, 60, 300].find((seconds) => total / seconds < 26) ?? 600
  const marks: string[] = []
  for (let s = 0; s <= total; s += step) {
    const at = x(fromMs + s * 1_000)
    marks.push(line(at, TOP - 4, at, bottom, '#cccccc'), text(at + 2, bottom + 12, `${s} s`))
  }
  return marks
}

/** A database fault affects every process: its band crosses all lanes. */
function servers({ faults }: Indexed, { x }: Scale, bottom: number): string[] {
  return faults
    .filter((fault) => fault.target === 'database')
    .map(({ kind, fromMs, untilMs, note }) => {
      const [from, until] = [x(fromMs), x(untilMs ?? fromMs)]
      const box = {
        x: from,
        y: TOP - 4,
        width: Math.max(2, until - from),
        height: bottom - TOP + 4,
      }
      return rect(box, COLOURS[kind] ?? '#000000', `${kind} ${note}`, 0.3)
    })
}

function drawLane(lane: Lane, y: number, evidence: Indexed, { x, untilMs }: Scale): string[] {
  const lives = lane.lives.map(({ fromMs, untilMs: endMs, pid }) => {
    const [from, until] = [x(fromMs), x(endMs ?? untilMs)]
    return rect(
      { x: from, y: y + 3, width: until - from, height: LANE - 8 },
      GREY,
      `pid ${pid}`,
      0.8,
    )
  })
  const bands = evidence.faults
    .filter((fault) => fault.target === lane.name)
    .map(({ kind, fromMs, untilMs: endMs, note }) => {
      const [from, until] = [x(fromMs), x(endMs ?? fromMs)]
      const box = { x: from, y: y + 3, width: Math.max(2.5, until - from), height: LANE - 8 }
      return rect(box, COLOURS[kind] ?? '#000000', `${kind} ${note}`, 0.75)
    })
  const starts = groupBy(
    evidence.ledger.effects.filter((line) => line.what === 'start'),
    (line) => line.process,
  )
  const xs = (starts.get(lane.name) ?? []).map((start) => x(start.monotonicMs))
  const label = text(LEFT - 6, y + LANE / 2 + 3, lane.name, 'text-anchor="end"')
  return [label, ...lives, ...bands, ticks(xs, y + LANE - 11, 6, '#1b4f72')]
}

const LATENESS_MARKS_MS = [1, 10, 100, 1_000, 10_000, 60_000]

/** On a logarithmic scale: one millisecond and half a minute both matter. */
function lateness(evidence: Indexed, leaseMs: number, { x }: Scale, top: number): string[] {
  const height = CHART - 40
  const y = (ms: number) =>
    top + height - (Math.log10(Math.max(1, ms)) / Math.log10(60_000)) * height
  const all = latenesses(evidence, leaseMs)
  const points = (calm: boolean) =>
    all
      .filter((run) => run.calm === calm)
      .map((run) => [x(run.atMs), y(Math.min(60_000, run.lateMs))] as const)
  return [
    text(LEFT - 6, top - 12, 'late by', 'text-anchor="end" font-weight="bold"'),
    ...LATENESS_MARKS_MS.flatMap((ms) => [
      line(LEFT, y(ms), WIDTH - 12, y(ms), '#dddddd'),
      text(LEFT - 6, y(ms) + 4, ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`, 'text-anchor="end"'),
    ]),
    dots(points(true), '#1e8449'),
    dots(points(false), '#b03a2e'),
  ]
}
