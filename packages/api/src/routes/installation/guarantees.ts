/**
 * The guarantees that hold. Why one is weakened, and the facts behind it, are about the machines of
 * the operator: a key of a tenant gets the verdicts only.
 */
import type { GuaranteePanel } from '@punctual/core/ports'
import Type from 'typebox'
import { defineRoute } from '../../http/define-route.ts'
import { answer, oneOf, unlisted } from '../../wire/schemas.ts'
import { toWire } from '../../wire/snake.ts'

const verdict = oneOf(['holds', 'weakened'])
const guarantee = answer({
  promise: Type.String(),
  title: Type.String(),
  verdict,
  causes: Type.Optional(Type.Array(Type.String())),
})
const panel = answer({
  verdict,
  guarantees: Type.Array(guarantee),
  weaknesses: Type.Optional(unlisted<GuaranteePanel['weaknesses']>()),
  notes: Type.Optional(Type.Array(Type.String())),
  facts: Type.Optional(unlisted<GuaranteePanel['facts']>()),
})

function forTenant({ verdict, guarantees }: GuaranteePanel) {
  const verdicts = guarantees.map(({ promise, title, verdict }) => ({ promise, title, verdict }))
  return { verdict, guarantees: verdicts }
}

export const getGuarantees = defineRoute({
  ...{ method: 'GET', path: '/guarantees', scope: 'read', tag: 'Installation' },
  summary: 'Returns the guarantees that this server provides now, and what weakens the others',
  description:
    'The answer is at most five seconds old. A key of a tenant gets the verdicts, a key of the installation also `causes`, `weaknesses`, `notes` and `facts`.',
  answer: panel,
  async handle({ caller, service }) {
    const whole = await service.guarantees()
    return caller.tenantId === null ? toWire(whole) : forTenant(whole)
  },
})
