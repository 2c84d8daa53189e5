/** A provider of mail, where MAIL_URL names one. */
import { Injectable } from '@nestjs/common'
import type { HandlerContext } from 'punctual'

@Injectable()
export class MailService {
  /** The key is the same on every attempt, so that a provider that heeds it does not send twice. */
  async send(body: string, { idempotencyKey, signal }: HandlerContext): Promise<void> {
    if (!process.env.MAIL_URL) return
    const headers = { 'idempotency-key': idempotencyKey }
    const { ok, status } = await fetch(process.env.MAIL_URL, {
      method: 'POST',
      body,
      headers,
      signal,
    })
    if (!ok) throw new Error(`the provider answered ${status}`)
  }
}
