/**
 * Members of a request have other names than the options of the library: `schedule` becomes `cron`,
 * `run_at` becomes `at`. Errors about an option name the member of the request, and its index only
 * when the request has several items.
 */
import { PunctualError, reworded } from '@punctual/core/errors'
import { jobOptions } from '@punctual/core/job'
import { type Option, wireNamesOf } from '@punctual/core/option'
import { runOptions } from '@punctual/core/submit'
import { snakeName, wireSteps } from './snake.ts'

const PLACE = /^\[(\d+)\]\.?(.*)$/

/**
 * The members that an option is sent as, by its name in snake_case. The field of a schedule that
 * cannot be parsed is `expression`.
 */
const membersOf = new Map<string, readonly string[]>([
  ...Object.entries({ ...runOptions, ...jobOptions }).map(
    ([name, option]: [string, Option]) => [snakeName(name), wireNamesOf(name, option)] as const,
  ),
  ['expression', ['every_after_end', 'delay', 'schedule']],
  ['handler', ['handler', 'name']],
  ['job', ['name']],
])

/** The first of its members that the body has; the last when it has none. */
function nameOf(option: string, body: object): string {
  const members = membersOf.get(option) ?? []
  return members.find((name) => name in body) ?? members.at(-1) ?? option
}

function translated(error: unknown, bodies: readonly object[]): unknown {
  // Headers keep their names.
  if (!(error instanceof PunctualError) || !error.field || /^[A-Z]/.test(error.field)) return error
  const [, place, rest = error.field] = PLACE.exec(error.field) ?? []
  const body = bodies[Number(place ?? 0)]
  if (!body || (place === undefined && bodies.length > 1)) return error
  const [option = '', ...more] = wireSteps(rest)
  const field = [nameOf(option, body), ...more].filter((step) => step !== '').join('.')
  const alone = bodies.length === 1
  const [, item = '', text = ''] = /^(Item \d+: )?(.*)$/s.exec(error.message) ?? []
  const plain = text.startsWith(`${rest} `) ? `${field}${text.slice(rest.length)}` : text
  return alone
    ? reworded(error, plain, field)
    : reworded(error, `${item}${plain}`, `[${place}].${field}`)
}

/** Does the work for these bodies; errors name the members of the request. */
export async function inWireNames<T>(
  bodies: readonly object[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translated(error, bodies)
  }
}

/** Adds the index of an item to the field of its error. */
export function atPlace<T>(place: number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof PunctualError)) throw error
    throw reworded(error, error.message, `[${place}].${error.field ?? ''}`)
  }
}
