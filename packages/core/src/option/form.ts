/** The values that a form allows, in words. */
import type { Form } from './option.ts'

/** Completes the sentence "must be …", for the reference page. */
export function valuesOf(form: Form): string {
  switch (form.type) {
    case 'integer':
      return `an integer from ${form.min} to ${form.max}`
    case 'duration':
      return `milliseconds from ${form.min} to ${form.max}`
    case 'delay':
      return `milliseconds up to ${form.max}`
    case 'span':
      return `milliseconds up to ${form.max}, or a string such as 5s, 10m or 24h`
    case 'text':
      return `up to ${form.max} characters`
    case 'choice':
      return form.values.join(', ')
    case 'switch':
      return 'true or false'
    case 'instant':
      return 'a Date, an ISO 8601 string, or milliseconds since 1970'
    case 'period':
      return 'milliseconds, or a string such as 5m, 1h30m or P1M'
    case 'labels':
      return 'an object with string values'
    case 'list':
      return `a list of up to ${form.max} ${form.of}`
    case 'json':
      return 'any JSON value'
    case 'flow-key':
      return 'a string, or { payload: path }'
    case 'per':
      return `${form.units.join(', ')}, or milliseconds up to ${form.max}`
    case 'backoff':
      return 'an object with kind exponential, linear, fixed or list'
    case 'members':
      return `an object with ${Object.keys(form.members).join(', ')}`
  }
}
