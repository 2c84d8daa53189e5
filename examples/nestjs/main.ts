/**
 * A NestJS server that sends receipts: it answers requests at once and does the work afterwards.
 */
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
// Exits with code 0 after shutdown; otherwise NestJS would kill itself with the same signal.
app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true })
await app.listen(Number(process.env.PORT ?? 0), '127.0.0.1')
console.log(`listening on ${await app.getUrl()}`)
