/** Checks options that must be integers, strings or names. */
import { limits } from '../errors/limits.ts'
import { refuseOption } from './refuse-option.ts'

export function integer(field: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    refuseOption(field, `an integer from ${min} to ${max}`, value)
  return value
}

const CONTROL = /\p{Cc}/u

export function checkText(field: string, value: unknown, maxLength: number): string {
  if (typeof value !== 'string' || value.length === 0 || value.length > maxLength)
    refuseOption(field, `a string of 1 to ${maxLength} characters`, value)
  if (CONTROL.test(value) || !value.isWellFormed())
    refuseOption(field, 'free of control characters and unpaired surrogates', value)
  return value
}

/** Checks the name of a handler or queue. */
export function checkName(field: string, value: unknown): string {
  return checkText(field, value, limits.nameLength)
}
