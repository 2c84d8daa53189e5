/** The oldest supported PostgreSQL and the one that Punctual embeds. */

export const postgresMajors = [18, 15] as const

export type PostgresMajor = (typeof postgresMajors)[number]

/**
 * The environment variable with the URL of a running server. The global setup sets it, and every
 * process of the run inherits it. Set it by hand to test against another server, with a role that
 * may create databases.
 */
export function urlVariable(major: PostgresMajor): string {
  return `PUNCTUAL_TEST_POSTGRES_${major}_URL`
}
