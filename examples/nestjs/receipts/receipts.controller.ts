/**
 * `POST /receipts` with `{ "order": "17" }` answers at once; `GET /receipts/<id>` returns its
 * state.
 */
import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  NotFoundException,
  Param,
  ParseUUIDPipe,
  Post,
} from '@nestjs/common'
import { ReceiptsService } from './receipts.service.ts'

@Controller('receipts')
export class ReceiptsController {
  constructor(@Inject(ReceiptsService) private readonly receipts: ReceiptsService) {}

  @Post()
  @HttpCode(202)
  async ask(@Body() body: { order?: unknown } | undefined) {
    if (typeof body?.order !== 'string') throw new BadRequestException('order must be a string.')
    return { id: await this.receipts.ask(body.order) }
  }

  @Get(':id')
  async show(@Param('id', ParseUUIDPipe) id: string) {
    const run = await this.receipts.find(id)
    if (!run) throw new NotFoundException('No run has this id.')
    return { state: run.state, output: 'output' in run ? run.output : null }
  }
}
