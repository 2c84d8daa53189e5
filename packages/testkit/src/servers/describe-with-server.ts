import { describe, test } from 'vitest'
import {
  describeServer,
  isServerRequired,
  missingPrograms,
  requireDefinedServer,
  type Server,
} from './require-server.ts'
import { type ServerDefinition, type ServerName, servers } from './servers.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Set on a suite that was skipped because its server is not installed. */
    missingServer?: { readonly title: string; readonly install: string }
  }
}

/**
 * Declares a suite that needs one of `servers`, not only the embedded PostgreSQL.
 *
 * The suite runs when the server is installed. Otherwise the suite fails if PUNCTUAL_TEST_REQUIRE
 * names the server, and is skipped if not. At the end of the test run, the skip reporter lists
 * skipped suites, each with the command that installs its server. No suite of this repository is
 * skipped in any other way.
 */
export function describeWithServer(name: ServerName, suite: (server: Server) => void): void {
  describeWithDefinedServer(name, servers[name], suite)
}

/**
 * Like `describeWithServer`, for a server that `servers` does not list. Tests pass a server that
 * does not exist.
 */
export function describeWithDefinedServer(
  name: string,
  definition: ServerDefinition,
  suite: (server: Server) => void,
): void {
  const title = `with ${definition.title}`
  const server = describeServer(definition)
  if (missingPrograms(definition).length === 0) {
    describe(title, () => suite(server))
  } else if (isServerRequired(name)) {
    describe(title, () => {
      test(`${definition.title} is installed`, () => {
        requireDefinedServer(definition)
      })
    })
  } else {
    const missingServer = { title: definition.title, install: definition.install }
    describe.skip(title, { meta: { missingServer } }, () => suite(server))
  }
}
