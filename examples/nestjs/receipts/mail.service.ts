/** Sends through the mail provider at MAIL_URL, if set. */
import { Injectable } from '@nestjs/common'
import type { HandlerContext } from 'punctual'

@Injectable()
export class MailService {
  /** Every attempt sends the same key, so a provider that honours it does not send twice. */
  async send(body: string, { idempotencyKey, signal }: HandlerContext): Promise<void> {
    if (!process.env.MAIL_URL) return
    const headers = { 'idempotency-key': idempotencyKey }
    const { ok, status } = await fetch(process.env.MAIL_URL, {
      method: 'POST',
      body,
      headers,
      signal,
    })
    if (!ok) throw new Error(`The mail provider answered ${status}.`)
  }
}
