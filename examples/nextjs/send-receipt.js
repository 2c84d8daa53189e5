/**
 * The handler: it sends the receipt through the mail provider at MAIL_URL, if set. Every attempt
 * sends the same key, so a provider that honours it does not send twice.
 *
 * @type {import('punctual').HandlerFunction<{ order: string }, { receipt: string }>}
 */
export async function sendReceipt({ order }, ctx) {
  const receipt = `R-${order}`
  console.log(`${receipt}, attempt ${ctx.attempt}`)
  if (process.env.MAIL_URL) {
    const headers = { 'idempotency-key': ctx.idempotencyKey }
    const request = { method: 'POST', body: receipt, headers, signal: ctx.signal }
    const { ok, status } = await fetch(process.env.MAIL_URL, request)
    if (!ok) throw new Error(`The mail provider answered ${status}.`)
  }
  return { receipt }
}
