/** The two ends of what Punctual supports: the oldest PostgreSQL and the one it brings along. */

export const postgresMajors = [18, 15] as const

export type PostgresMajor = (typeof postgresMajors)[number]

/**
 * The variable that names a running server. The global setup sets it, and every process of the run
 * inherits it; set it by hand to test against a server of your own, with a role that may create
 * databases.
 */
export function urlVariable(major: PostgresMajor): string {
  return `PUNCTUAL_TEST_POSTGRES_${major}_URL`
}
