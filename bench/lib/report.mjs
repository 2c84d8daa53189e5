/** One scenario's results as rows, bars, notes and the JSON line; print.mjs prints them. */
import { SYSTEMS } from '../systems/catalogue.mjs'
import { whatLimited } from './cpu.mjs'
import { DESIGN_FIGURES } from './design-figures.mjs'

const BLOCKS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
const BAR_WIDTH = 24

/**
 * @param {import('../scenarios/index.mjs').Scenario} scenario
 * @param {Record<string, object>} results  by system
 * @param {Record<string, string>} skipped  the reason, by system
 */
export function makeReport(scenario, results, skipped) {
  const figures = Object.values(results).map(scenario.figure)
  const largest = Math.max(...figures)
  const names = Object.keys(results).sort((a, b) => compare(scenario, results[a], results[b]))
  const rows = names.map((name) => {
    const figure = scenario.figure(results[name])
    return {
      system: name,
      figure: `${formatFigure(figure)}${scenario.unit}`,
      '': bar(figure / largest),
      ...scenario.columns(results[name]),
      'design figure': DESIGN_FIGURES[scenario.name]?.[name] ?? '',
      'history kept': SYSTEMS[name].history,
    }
  })
  return {
    scenario,
    rows,
    skipped: Object.entries(skipped).map(([name, why]) => `${name}: skipped, ${why}`),
    bars: scenario.bars(results),
    settings: names.map((name) => `${name}: ${describeSettings(scenario, name)}`),
    limits: names
      .filter((name) => results[name].clientCpuMs !== undefined && results[name].ms)
      .map((name) => `${name}: ${whatLimited(results[name])}`),
    json: makeJson(scenario, results, skipped),
  }
}

/** The JSON line. A ratio above 1 always means that Punctual is better. */
function makeJson(scenario, results, skipped) {
  const ours = results.punctual && scenario.figure(results.punctual)
  const others = scenario.systems.filter((name) => name !== 'punctual' && name !== 'floor')
  const compared = (scenario.comparedPeers ?? others).filter((name) => results[name])
  const theirs = compared.map((name) => scenario.figure(results[name]))
  const best = scenario.better === 'higher' ? Math.max(...theirs) : Math.min(...theirs)
  const floor = results.floor && scenario.figure(results.floor)
  const one = (name) =>
    results[name] ? scenario.json(results[name]) : { skipped: skipped[name] ?? 'not chosen' }
  const peers = others.filter((name) => results[name] || skipped[name])
  return {
    scenario: scenario.name,
    punctual: one('punctual'),
    peers: Object.fromEntries(peers.map((name) => [name, one(name)])),
    floor: scenario.systems.includes('floor') ? one('floor') : null,
    ratioToBestPeer: ratio(scenario, ours, best),
    ratioToFloor: ratio(scenario, ours, floor),
  }
}

const describeSettings = (scenario, name) =>
  scenario.settings.map((setting) => SYSTEMS[name].settings[setting]).join('; ')

function ratio(scenario, ours, other) {
  if (ours === undefined || other === undefined || !Number.isFinite(other)) return null
  const value = scenario.better === 'higher' ? ours / other : other / ours
  return Math.round(value * 1000) / 1000
}

/** Sorts the better result first. */
export function compare(scenario, a, b) {
  const difference = scenario.figure(b) - scenario.figure(a)
  return scenario.better === 'higher' ? difference : -difference
}

function bar(share) {
  const eighths = Math.max(1, Math.round(share * BAR_WIDTH * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + BLOCKS[eighths % 8]
}

const formatFigure = (value) =>
  value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en-US')
