/** Checks an options object: an unknown name is refused, because it may be a typing error. */
import { refuseOption } from '@punctual/core/check'

export function checkedOptions<T extends object>(options: T, known: readonly (keyof T)[]): T {
  if (Object.prototype.toString.call(options) !== '[object Object]')
    refuseOption('options', `an object with ${known.join(', ')}`, options)
  const unknown = Object.keys(options).find((name) => !known.includes(name as keyof T))
  if (unknown !== undefined) refuseOption(unknown, `one of ${known.join(', ')}`, unknown)
  return options
}
