/**
 * Drives the product's planner on the product's store as fast as possible; only the clock belongs
 * to the bench. The clock stands still until every due slot is planned, then advances by a step, so
 * that hours of slots are planned in seconds and each job is visited as often as in those hours.
 */
const CORE = new URL('../../packages/core/dist/errors/index.js', import.meta.url)
const ENGINE = new URL('../../packages/engine/dist/index.js', import.meta.url)
const STEPS_WITHOUT_SLOTS = 1_000
const STORE = new URL('../../packages/store/dist/index.js', import.meta.url)

/** @param {string} databaseUrl @param {{ startMs: number, stepMs: number }} clock  its start and step */
export async function openDriver(databaseUrl, { startMs, stepMs }) {
  const { defaults } = await import(CORE.href)
  const { Planner } = await import(ENGINE.href)
  const { PostgresStore, systemClock, systemRandom } = await import(STORE.href)
  const ports = { clock: systemClock, random: systemRandom }
  const store = new PostgresStore({ url: databaseUrl, schema: 'punctual', node: 'bench', ...ports })
  const aheadMs = defaults.planAheadMs
  let nowMs = startMs - aheadMs
  let slots = 0
  const planner = new Planner({
    store: withClock(store.schedules.plan, () => nowMs),
    // Both clocks move together: stepping only one would look like a database whose clock was set.
    clock: { ...systemClock, monotonicMs: () => nowMs },
    id: systemRandom.token(),
    aheadMs,
    ttlMs: 60_000,
    hintsArrive: () => false,
    onPlanned: ({ runs }) => {
      slots += runs
    },
    onSetAside: (job, reason) => {
      throw new Error(`${job} was set aside: ${reason}`)
    },
  })
  /** Plans at least `count` slots. */
  const drive = async ({ count }) => {
    const from = slots
    const startedAt = performance.now()
    for (let [steps, last] = [0, slots]; slots - from < count; ) {
      if ((await planner.tick()) === 0) continue
      nowMs += stepMs
      if (slots > last) [steps, last] = [0, slots]
      else if (++steps > STEPS_WITHOUT_SLOTS) throw new Error(`no slots until ${nowMs}`)
    }
    return { slots: slots - from, ms: performance.now() - startedAt }
  }
  return { drive, close: () => store.close() }
}

/** The same store with a different clock. */
function withClock(plan, nowMs) {
  const announcePlanner = async (...args) => ({
    ...(await plan.announcePlanner(...args)),
    nowMs: nowMs(),
  })
  return new Proxy(plan, {
    get: (_, name) => (name === 'announcePlanner' ? announcePlanner : plan[name].bind(plan)),
  })
}
