/** Checks the answers of every operation in every test against the OpenAPI document. */
import { Compile } from 'typebox/compile'
import type { Document } from './http-operations.ts'

interface Described {
  readonly method: string
  readonly path: RegExp
  readonly title: string
  readonly answers: Document
}

interface Answered {
  readonly method: string
  readonly url: string
  readonly status: number
  readonly body: unknown
}

type Check = (body: unknown) => string | null

function checkOf(schema: Document): Check {
  const compiled = Compile(schema)
  return (body) => {
    if (compiled.Check(body)) return null
    const [first] = compiled.Errors(body)
    return `${JSON.stringify(first)} in ${JSON.stringify(body)}`
  }
}

export class DescribedAnswers {
  readonly #operations: readonly Described[]
  readonly #checks = new Map<string, Check>()

  constructor(document: Document) {
    this.#operations = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Document>(methods).map(([method, { responses }]) => ({
        ...{ method: method.toUpperCase(), title: `${method} ${path}`, answers: responses },
        path: new RegExp(`^(?:/api)?${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
      })),
    )
  }

  /** Throws when a JSON answer does not match the document. */
  check({ method, url, status, body }: Answered): void {
    const { pathname } = new URL(url)
    const matching = this.#operations.filter(
      (candidate) => candidate.method === method && candidate.path.test(pathname),
    )
    // The path with the fewest variables matches first: /runs/counts before /runs/{id}.
    const [operation] = matching.sort((a, b) => variables(a) - variables(b))
    if (!operation) return
    const answers = operation.answers
    const described = answers[String(status)] ?? (status >= 400 ? answers.default : undefined)
    if (!described) throw new Error(`${operation.title} answers ${status}, which is not described`)
    const { schema } = Object.values<Document>(described.content ?? {})[0] ?? {}
    if (schema === undefined) return
    const name = `${operation.title} ${status}`
    const check = this.#checks.get(name) ?? checkOf(schema)
    this.#checks.set(name, check)
    const fault = check(body)
    if (fault !== null) throw new Error(`${name} does not match its description: ${fault}`)
  }
}

const variables = ({ title }: Described) => title.split('{').length
