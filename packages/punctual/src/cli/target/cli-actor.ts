/** The actor that the audit log records for the command line. */
import { hostname, userInfo } from 'node:os'
import type { Actor } from '@punctual/core/audit'

function user(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}

export function cliActor(): Actor {
  return { kind: 'cli', name: `${user()}@${hostname()}` }
}
