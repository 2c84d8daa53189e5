/** Renders the operations of the OpenAPI document as one TypeScript interface, by method and path. */
import { comment, member, renderSchema } from './render-schema.mjs'

const HEADER = `/**
 * Generated from the OpenAPI document of packages/api by \`npm run client:types\`: the input and the
 * answer of each route, in the names of the wire.
 */

`

export function renderOperations({ paths }) {
  // Sorted by address, because the order of the routes does not concern clients.
  const addresses = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const operations = addresses.flatMap(([path, methods]) =>
    Object.entries(methods)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([method, operation]) => renderOperation(method, path.slice(3), operation)),
  )
  return `${HEADER}export interface Operations {\n${operations.join('')}}\n`
}

function renderOperation(method, path, operation) {
  const { parameters = [], requestBody, responses } = operation
  const parts = [
    ...['path', 'query'].flatMap((place) => {
      const placed = parameters.filter((parameter) => parameter.in === place)
      return placed.length === 0
        ? []
        : [renderParameters(place === 'path' ? 'params' : place, placed)]
    }),
    ...(requestBody ? [`    body: ${renderSchema(contentOf(requestBody), '    ')}\n`] : []),
    `    answer: ${answerOf(responses)}\n`,
  ]
  const words = [operation.summary, operation.description].filter(Boolean).join('. ')
  const name = JSON.stringify(`${method.toUpperCase()} ${path}`)
  return `${comment('  ', words)}  ${name}: {\n${parts.join('')}  }\n`
}

function renderParameters(name, parameters) {
  const members = parameters.map(({ name: parameter, schema, required, description }) =>
    member('      ', parameter, renderSchema(schema, '      '), required, description),
  )
  return `    ${name}: {\n${members.join('')}    }\n`
}

function contentOf({ content = {} }) {
  const { schema } = content['application/json'] ?? Object.values(content)[0] ?? {}
  return schema
}

function answerOf(responses) {
  const success = Object.keys(responses).find((status) => status.startsWith('2'))
  return success === undefined ? 'unknown' : renderSchema(contentOf(responses[success]), '    ')
}
