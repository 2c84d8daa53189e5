/**
 * The only Punctual instance of this server process. Next.js bundles the instrumentation and every
 * route separately and reloads them on changes, so a variable of this module would exist many
 * times: the instance is kept on globalThis.
 */
import { sendReceipt } from './send-receipt.js'
import { stopBySignal } from './stop-by-signal.js'

export const HANDLER = 'send-receipt'

/** @returns {Promise<import('punctual').Punctual>} */
export function startPunctual() {
  globalThis.punctualStarting ??= start().catch((error) => {
    // Next.js keeps a server whose register() failed, and it answers every request with that error.
    console.error(error)
    process.exit(1)
  })
  return globalThis.punctualStarting
}

async function start() {
  // Loaded by Node.js, not bundled: Punctual loads SQL files and thread files from its own folder.
  const { Punctual } = await import(/* turbopackIgnore: true */ 'punctual')
  // `next start` runs in production mode, where the embedded PostgreSQL must be requested.
  const punctual = await Punctual.start({ embedded: !process.env.DATABASE_URL })
  punctual.handler(HANDLER, sendReceipt)
  stopBySignal(() => punctual.stop())
  return punctual
}
