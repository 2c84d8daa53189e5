/**
 * Punctual as a module: providers inject `Punctual`, and their methods with `@Handles(name)` are
 * its handlers. It starts with the application, claims runs when every provider is ready, and
 * drains after the last request has ended. It is not global: NestJS shuts down global modules last,
 * and the modules that a module imports after the module itself.
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
  // Without emitDecoratorMetadata, NestJS does not know the parameter types, so each names its
  // token.
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
