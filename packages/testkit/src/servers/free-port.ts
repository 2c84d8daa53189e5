import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below every system's range for outgoing connections, so that no connection opened between this
 * call and the server's own listen can occupy the port.
 */
const FIRST_PORT = 20_000
const LAST_PORT = 29_999
const ATTEMPTS_MAX = 100

/** Returns an unused port of the loopback interface. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1)
    if (await canListen(port)) return port
  }
  throw new Error(
    `Found no free port between ${FIRST_PORT} and ${LAST_PORT} in ${ATTEMPTS_MAX} attempts`,
  )
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
