/**
 * Punctual as a module: providers inject `Punctual`, and their methods with `@Handles(name)` are its handlers. It starts
 * with the application, takes runs when every provider is ready, and drains after the last request has ended. It is not
 * global: NestJS shuts global modules down last, and the modules that this one imports after it.
 */
import {
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common'
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core'
import { Punctual } from 'punctual'
import { Handles } from './handles.ts'

@Module({
  imports: [DiscoveryModule],
  providers: [{ provide: Punctual, useFactory: () => Punctual.start() }],
  exports: [Punctual],
})
export class PunctualModule implements OnApplicationBootstrap, OnApplicationShutdown {
  // Nothing emits the types of parameters here (emitDecoratorMetadata), so each says what it injects.
  constructor(
    @Inject(Punctual) private readonly punctual: Punctual,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
  ) {}

  onApplicationBootstrap(): void {
    for (const provider of this.discovery.getProviders()) {
      const { instance } = provider
      if (!provider.isDependencyTreeStatic() || typeof instance !== 'object' || !instance) continue
      for (const method of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance))) {
        const name = this.discovery.getMetadataByDecorator(Handles, provider, method)
        if (name) this.punctual.handler(name, instance[method].bind(instance))
      }
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.punctual.stop()
  }
}
