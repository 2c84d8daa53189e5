/** `@Handles('send-receipt')` on a method of a provider: it is what runs of that name do. */
import { DiscoveryService } from '@nestjs/core'

export const Handles = DiscoveryService.createDecorator<string>()
