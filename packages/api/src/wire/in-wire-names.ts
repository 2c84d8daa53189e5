/**
 * Members of a request have other names than the options of the library: `schedule` becomes `cron`,
 * `run_at` becomes `at`. Errors about an option name the member of the request, and its index only
 * when the request has several items.
 */
import { PunctualError, reworded } from '@punctual/core/errors'
import { wireSteps } from './snake.ts'

const PLACE = /^\[(\d+)\]\.?(.*)$/

/** The first of these that the body has; the last when it has none. */
function sent(body: object, ...names: readonly string[]): string {
  return names.find((name) => name in body) ?? (names.at(-1) as string)
}

function nameOf(option: string, body: object): string {
  switch (option) {
    case 'expression':
    case 'cron':
    case 'every':
      return sent(body, 'every_after_end', 'delay', 'schedule')
    case 'at':
      return 'run_at'
    case 'delay_ms':
      return 'delay'
    case 'handler':
      return sent(body, 'handler', 'name')
    case 'timeout_ms':
      return sent(body, 'timeout_seconds', 'timeout_ms')
    case 'max_attempts':
      return sent(body, 'max_attempts', 'max_retries', 'retry_policy')
    case 'retry':
      return 'retry_policy'
    case 'job':
      return 'name'
    default:
      return option
  }
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
