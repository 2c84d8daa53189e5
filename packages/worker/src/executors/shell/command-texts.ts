/** Fills in the texts of a command; what the system would cut or change is refused. */
import type { Call } from '../executor.ts'
import { PreparationError } from '../failed.ts'
import { type Filled, fillText } from '../template.ts'

export async function fillCommand(
  field: string,
  texts: readonly string[],
  call: Call,
): Promise<Filled<string>[]> {
  const filled: Filled<string>[] = []
  for (const [i, text] of texts.entries()) {
    const fill = await fillText(`target.${field}[${i}]`, text, call)
    refuseNul(fill(''))
    filled.push(fill)
  }
  return filled
}

export async function fillVariables(
  env: Readonly<Record<string, string>> | undefined,
  call: Call,
): Promise<Filled<Record<string, string>>> {
  const names = Object.keys(env ?? {})
  const values = await fillCommand('env', Object.values(env ?? {}), call)
  return (fence) => Object.fromEntries(names.map((name, i) => [name, values[i]?.(fence) ?? '']))
}

/** A payload must not lead to a directory that the target does not name. */
export async function fillDirectory(cwd: string, call: Call): Promise<string> {
  const path = (await fillText('target.cwd', cwd, call))('')
  refuseNul(path)
  if (path.startsWith('/') && !path.split('/').includes('..')) return path
  throw new PreparationError(
    'invalid_cwd',
    `target.cwd must be an absolute path without ".."; got ${JSON.stringify(path)}.`,
  )
}

/** The system ends an argument at a NUL: the program would get another text. */
function refuseNul(text: string): void {
  if (text.includes('\0'))
    throw new PreparationError(
      'invalid_argument',
      'The arguments and variables of a command must be free of NUL characters; the payload of this run puts one into them.',
    )
}
