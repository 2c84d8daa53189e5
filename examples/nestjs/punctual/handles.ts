/** `@Handles('send-receipt')` on a provider's method makes it the handler of that name. */
import { DiscoveryService } from '@nestjs/core'

export const Handles = DiscoveryService.createDecorator<string>()
