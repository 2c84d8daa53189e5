/** Labels of a run or a job: few, short, and stored as JSON. */
import { checkText } from '../check/check-value.ts'
import { refuseOption } from '../check/refuse-option.ts'
import { shown } from '../errors/failure.ts'
import { limits } from '../errors/limits.ts'

/** Up to 16 names and values. */
export type Labels = Readonly<Record<string, string>>

export function compileLabels(labels: unknown): string | null {
  if (labels === undefined || labels === null) return null
  if (Object.prototype.toString.call(labels) !== '[object Object]')
    refuseOption('labels', 'an object of strings', labels)
  const entries = Object.entries(labels)
  if (entries.length === 0) return null
  if (entries.length > limits.labelsPerRun)
    refuseOption('labels', `an object of at most ${limits.labelsPerRun} labels`, entries.length)
  for (const [name, value] of entries) {
    checkText(`labels key ${shown(name)}`, name, limits.labelKeyLength)
    if (value !== '') checkText(`labels.${name}`, value, limits.labelValueLength)
  }
  return JSON.stringify(Object.fromEntries(entries))
}
