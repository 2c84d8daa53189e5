/** A NestJS server that sends receipts: requests are answered at once, and the work is done behind them. */
import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { PunctualModule } from './punctual/punctual.module.ts'
import { MailService } from './receipts/mail.service.ts'
import { ReceiptsController } from './receipts/receipts.controller.ts'
import { ReceiptsService } from './receipts/receipts.service.ts'

@Module({
  imports: [PunctualModule],
  controllers: [ReceiptsController],
  providers: [MailService, ReceiptsService],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['warn', 'error', 'fatal'] })
// Exit code 0 when everything has ended; NestJS would end itself by the same signal otherwise.
app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true })
await app.listen(Number(process.env.PORT ?? 0), '127.0.0.1')
console.log(`listening on ${await app.getUrl()}`)
