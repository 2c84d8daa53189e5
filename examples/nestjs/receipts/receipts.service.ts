/** Requests receipts and handles the runs of `send-receipt`. */
import { Inject, Injectable } from '@nestjs/common'
import { type HandlerContext, Punctual, type Run } from 'punctual'
import { Handles } from '../punctual/handles.ts'
import { MailService } from './mail.service.ts'

interface Receipt {
  readonly order: string
}

@Injectable()
export class ReceiptsService {
  constructor(
    @Inject(Punctual) private readonly punctual: Punctual,
    @Inject(MailService) private readonly mail: MailService,
  ) {}

  /**
   * Pressing the button twice sends one receipt: while its run is live, both calls return its id.
   */
  async ask(order: string): Promise<string> {
    const receipt: Receipt = { order }
    const { id } = await this.punctual.submit('send-receipt', receipt, { key: `receipt ${order}` })
    return id
  }

  find(id: string): Promise<Run | null> {
    return this.punctual.runs.get(id)
  }

  @Handles('send-receipt')
  async send({ order }: Receipt, ctx: HandlerContext): Promise<{ receipt: string }> {
    const receipt = `R-${order}`
    console.log(`${receipt}, attempt ${ctx.attempt}`)
    await this.mail.send(receipt, ctx)
    return { receipt }
  }
}
