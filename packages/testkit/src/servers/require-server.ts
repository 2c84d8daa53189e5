import { findProgram } from './find-program.ts'
import { type ServerDefinition, type ServerName, servers } from './servers.ts'

/** Names the servers that must be installed: `all`, or a list such as `pgbouncer,redis`. */
const REQUIRE_VARIABLE = 'PUNCTUAL_TEST_REQUIRE'

/** An installed server. */
export interface Server {
  readonly title: string
  /** Returns the path of a program. Searched lazily, because skipped suites are still collected. */
  program(name: string): string
}

/** Returns the server, or throws an error with the missing programs and the install command. */
export function requireServer(name: ServerName): Server {
  return requireDefinedServer(servers[name])
}

export function requireDefinedServer(definition: ServerDefinition): Server {
  const missing = missingPrograms(definition)
  if (missing.length > 0) {
    throw new Error(
      `${definition.title} is not installed: found no ${missing.join(', ')}. ` +
        `Install it with: ${definition.install}`,
    )
  }
  return describeServer(definition)
}

export function describeServer(definition: ServerDefinition): Server {
  return {
    title: definition.title,
    program(name) {
      const path = findProgram(name)
      if (path === undefined) {
        throw new Error(`Found no program ${name}. Install it with: ${definition.install}`)
      }
      return path
    },
  }
}

export function missingPrograms(definition: ServerDefinition): string[] {
  return definition.programs.filter((program) => findProgram(program) === undefined)
}

/**
 * Whether a missing server is a failure instead of a skip.
 *
 * Throws for an unknown server name: a misspelt requirement would otherwise require nothing.
 */
export function isServerRequired(
  name: string,
  requirement = process.env[REQUIRE_VARIABLE] ?? '',
): boolean {
  const names = requirement.split(',').map((part) => part.trim())
  const required = names.filter((part) => part !== '')
  const unknown = required.filter((part) => part !== 'all' && !Object.hasOwn(servers, part))
  if (unknown.length > 0) {
    throw new Error(
      `${REQUIRE_VARIABLE} names ${unknown.join(', ')}; ` +
        `it takes "all" or a list of ${Object.keys(servers).join(', ')}`,
    )
  }
  return required.includes('all') || required.includes(name)
}
