/**
 * The one Punctual of this server process. Next.js bundles instrumentation and every route by itself, and loads them
 * again when they change, so that a variable of this module would be there many times: the one is kept on globalThis.
 */
import { sendReceipt } from './send-receipt.js'
import { stopBySignal } from './stop-by-signal.js'

export const HANDLER = 'send-receipt'

/** @returns {Promise<import('punctual').Punctual>} */
export function startPunctual() {
  globalThis.punctualStarting ??= start().catch((error) => {
    // A server whose register() has failed stays, and answers every request with that error, for ever.
    console.error(error)
    process.exit(1)
  })
  return globalThis.punctualStarting
}

async function start() {
  // Node.js loads it, not the bundler: Punctual reads SQL and starts threads from beside its own modules.
  const { Punctual } = await import(/* turbopackIgnore: true */ 'punctual')
  // `next start` is production, where the embedded PostgreSQL has to be asked for.
  const punctual = await Punctual.start({ embedded: !process.env.DATABASE_URL })
  punctual.handler(HANDLER, sendReceipt)
  stopBySignal(() => punctual.stop())
  return punctual
}
