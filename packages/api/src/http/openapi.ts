/** The parts of the OpenAPI 3.1 document that do not come from routes. */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'

export function openApiOptions(version: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Punctual',
        version,
        description:
          'Every job, once, on time. Every error is a problem document (RFC 9457) with a stable `code`. Writes accept an `Idempotency-Key`. Lists are paged with `cursor`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `punctual_…`.' },
        },
      },
    },
  }
}
