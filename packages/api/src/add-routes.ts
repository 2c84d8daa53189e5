/**
 * Registers every route at /v1 and, as an alias, at /api/v1, each with its schema and its scope.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Admit } from './http/admit.ts'
import { httpDefaults } from './http/http-defaults.ts'
import { type Performing, perform } from './http/perform.ts'
import { type ApiDocument, referencePage, referencePolicy } from './http/reference-page.ts'
import { type AnyRoute, routes } from './routes.ts'
import { problemAnswer } from './wire/schemas.ts'

const PREFIXES = ['/v1', '/api/v1']

function schemaOf(route: AnyRoute, hide: boolean): FastifySchema {
  const problems = route.problems?.length ? ` Specific problems: ${route.problems.join(', ')}.` : ''
  const description = `${route.description ?? ''} ${admits(route.scope)}${problems}`.trim()
  const status = route.status ?? 200
  const answers: Record<string, unknown> = { default: problemAnswer }
  const statuses = { [status]: 'Success.', ...route.others }
  for (const [code, description] of Object.entries(statuses))
    if (route.answer) answers[code] = { description, ...route.answer }
  return {
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: route.query }),
    ...(route.body && { body: route.body }),
    response: answers,
    ...{ summary: route.summary, description, tags: [route.tag], hide },
    ...{ operationId: operationOf(route), security: [{ apiKey: [] }] },
    // For programs: the scope a key needs, whether the route writes, and its specific problems.
    ...{ 'x-scope': route.scope, 'x-writes': route.writes !== undefined },
    ...{ 'x-problems': route.problems ?? [] },
    ...(route.reads === 'ndjson' && { consumes: ['application/x-ndjson'] }),
  }
}

function admits(scope: AnyRoute['scope']): string {
  if (scope === 'any') return 'Any API key is accepted.'
  if (scope !== 'report') return `Requires the scope \`${scope}\`.`
  return 'Requires the callback token of the run in `Punctual-Callback-Token`, or the scope `operate`.'
}

function emptyBody(request: FastifyRequest, _: FastifyReply, next: () => void): void {
  if (request.body === undefined) request.body = {}
  next()
}

function operationOf({ method, path }: AnyRoute): string {
  const words = path.replaceAll(':', 'by-').split(/[/-]+/).filter(Boolean)
  const [first = '', ...rest] = [method.toLowerCase(), ...words]
  return first + rest.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
}

export function addRoutes(app: FastifyInstance, performing: Performing, admit: Admit): void {
  app.decorateRequest('caller')
  for (const prefix of PREFIXES)
    for (const route of routes) addRoute(app, prefix, route, performing, admit)
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  let page: string | null = null
  app.get('/docs', { schema: { hide: true } }, async (_, reply) => {
    page ??= referencePage(app.swagger() as ApiDocument)
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', referencePolicy)
      .send(page)
  })
}

function addRoute(
  app: FastifyInstance,
  prefix: string,
  route: AnyRoute,
  performing: Performing,
  admit: Admit,
) {
  app.route({
    method: route.method,
    url: `${prefix}${route.path}`,
    schema: schemaOf(route, prefix !== '/v1'),
    ...(route.reads === 'ndjson' && { bodyLimit: httpDefaults.bulkLimitBytes }),
    // Runs before the body is read: the body of an unauthenticated request is never read.
    onRequest: (request, _, next) => admit(request, route.scope, next),
    // A body whose members are all optional may be omitted.
    ...(route.body && route.reads !== 'ndjson' && { preValidation: emptyBody }),
    handler: async (request, reply) => {
      reply.code(route.status ?? 200)
      return perform(route, performing, request, reply)
    },
  })
}
