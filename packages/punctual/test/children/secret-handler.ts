/** An isolated handler that reads a secret and leaks it into its log and its output. */
import type { HandlerContext } from '../../src/index.ts'

export default async function run({ name }: { name: string }, { secret, log }: HandlerContext) {
  const key = await secret(name)
  log.info(`it is ${key}`)
  return { key, length: key.length }
}
