/** Targets in answers: their members in wire names, and what users named in them unchanged. */
import { type NamedTarget, renamedTarget, type Target } from '@punctual/core/target'
import Type from 'typebox'
import { snakeName } from './snake.ts'

export const targetAnswer = Type.Unsafe<NamedTarget>({
  type: 'object',
  additionalProperties: true,
  description: 'What performs its runs: `kind`, and the members of that kind.',
})

export function targetToWire(target: Target): NamedTarget {
  return renamedTarget(target, snakeName)
}
