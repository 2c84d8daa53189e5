/** Opens the HTTP app on an address, and says in people's words why that fails. */
import type { AddressInfo } from 'node:net'
import { createApp } from '@punctual/api'
import type { Config } from '../config/settings.ts'
import { CliError } from './cli-error.ts'
import type { NodeLog } from './log.ts'
import type { NodeState } from './node-state.ts'

export interface Listening {
  readonly url: string
  close(): Promise<void>
}

export async function listen(config: Config, state: NodeState, log: NodeLog): Promise<Listening> {
  const { host, port } = config
  const { health, ready, metrics } = state
  const app = createApp({ health, ready, metrics, logger: log })
  try {
    await app.listen({ host, port })
  } catch (cause) {
    await app.close()
    throw explain(cause as NodeJS.ErrnoException, host, port)
  }
  const bound = (app.server.address() as AddressInfo).port
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${bound}`, close: () => app.close() }
}

function explain(cause: NodeJS.ErrnoException, host: string, port: number): unknown {
  if (cause.code === 'EADDRINUSE')
    return new CliError('port_in_use', `Port ${port} of ${host} is taken by another program.`, {
      hint: `Choose another one with --port ${port + 1} (or PUNCTUAL_PORT), or --port 0 for any that is free.`,
      cause,
    })
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EACCES', 'EAI_AGAIN'].includes(cause.code ?? ''))
    return new CliError('address_unusable', `Cannot listen on ${host}:${port}: ${cause.message}.`, {
      hint: 'Check --host and --port; ports below 1024 belong to root.',
      cause,
    })
  return cause
}
