/** Who gives a command. */
import { userInfo } from 'node:os'

/** The user at the command line. Containers may run as a user without a name. */
export function createdBy(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    return `cli:${process.getuid?.() ?? 'unknown'}`
  }
}
