/**
 * What a run does: it asks a provider of mail to send the receipt, where MAIL_URL names one. The key is the same on every
 * attempt, so that a provider that heeds it does not send twice.
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
    if (!ok) throw new Error(`the provider answered ${status}`)
  }
  return { receipt }
}
