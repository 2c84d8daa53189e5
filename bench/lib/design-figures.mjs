/** Figures from the design phase for the same measurements, printed next to the results. */
export const DESIGN_FIGURES = {
  submit: {
    floor: '95,000-134,000/s',
    'graphile-worker': '54,000-63,000/s',
    'pg-boss': '45,000-51,000/s',
    bullmq: '26,000-28,000/s',
  },
  drain: {
    floor: '50,000-53,500/s (72,000-91,000 without guards)',
    punctual: 'target 50,000/s',
    'graphile-worker': '37,000-49,000/s',
    'pg-boss': '32,000-34,000/s',
    bullmq: '20,000/s',
  },
  pickup: {
    'graphile-worker': 'p50 3.8, p99 16 ms',
    bullmq: 'p50 0.43, p99 4 ms',
  },
  frozen: {
    floor: '58,000-74,000/s in every round',
    'graphile-worker': '37,000/s, then 2,500/s',
  },
  fire: { punctual: 'p99 under 50 ms' },
  'plan-scale': { punctual: 'about 25 us/slot on the server, 5 million jobs' },
}
