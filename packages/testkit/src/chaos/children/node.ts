/**
 * An API node of the campaign: an ordinary `punctual start` in this process. It is configured by
 * environment variables, because an address with a password belongs there, and reports that it is
 * ready when its readiness probe does.
 */
import { readSettings } from '../plan/child-settings.ts'

const LOOK_MS = 50

const { databaseUrl, port, leaseMs, more } = readSettings()
Object.assign(process.env, {
  DATABASE_URL: databaseUrl,
  PUNCTUAL_ROLES: 'api',
  PUNCTUAL_PORT: String(port),
  PUNCTUAL_LEASE_MS: String(leaseMs),
  PUNCTUAL_DRAIN_MS: '2000',
  PUNCTUAL_MIGRATE: 'false',
  PUNCTUAL_LOG_FORMAT: 'json',
  // Further settings, or other ones, of a profile.
  ...(more.environment as Record<string, string> | undefined),
})
process.argv.splice(2, process.argv.length, 'start')

// waits: until the node reports that it is ready
const look = setInterval(async () => {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
  if (!answer?.ok) return
  clearInterval(look)
  process.send?.({ ready: true })
}, LOOK_MS)
// The parent is gone: no other process would end this one.
process.on('disconnect', () => process.exit(0))

await import(new URL('cli/main.js', import.meta.resolve('punctual')).href)
process.exit()
