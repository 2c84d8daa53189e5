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
 * A suite that needs a server beside PostgreSQL.
 *
 * It runs when the server is installed. Otherwise it fails when PUNCTUAL_TEST_REQUIRE asks for the
 * server, and else is skipped: the skip reporter names it at the end of the run with the command
 * that installs what it lacks. This is the only way in which a suite of this repository is skipped.
 */
export function describeWithServer(name: ServerName, suite: (server: Server) => void): void {
  describeWithDefinedServer(name, servers[name], suite)
}

/** The same for a server outside the table, so that a test can ask for one that does not exist. */
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
