/** The filter of runs in the API's terms: as a query string, or as a body. */
import type { BodyOf, RunFilter as WireQuery } from '@punctual/client'
import type { RunFilter, TimeRange } from '@punctual/core/run'
import { notOverHttp } from './not-over-http.ts'

type WireFilter = NonNullable<BodyOf<'POST /runs/cancel'>['filter']>

function range(name: 'due' | 'created', { from, to }: TimeRange = {}): object {
  return {
    ...(from !== undefined && { [`${name}_from`]: new Date(from).toISOString() }),
    ...(to !== undefined && { [`${name}_to`]: new Date(to).toISOString() }),
  }
}

function common({ states, handler, queue, job, keyPrefix, due, created }: RunFilter) {
  const words = { handler, queue, job, key_prefix: keyPrefix }
  return {
    state: states && [...states],
    ...words,
    ...range('due', due),
    ...range('created', created),
  }
}

export function queryOf(filter: RunFilter): WireQuery {
  if (filter.ids !== undefined) notOverHttp('A list of ids')
  const label = filter.labels && Object.entries(filter.labels).map((pair) => pair.join(':'))
  return { ...common(filter), label }
}

export function filterOf({ labels, ids, ...filter }: RunFilter): WireFilter {
  return { ...common(filter), labels: labels && { ...labels }, ids: ids && [...ids] }
}
