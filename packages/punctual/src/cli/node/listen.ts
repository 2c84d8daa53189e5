/** Opens the HTTP app on an address, and says in people's words why that fails. */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { type Admission, createApp } from '@punctual/api'
import { PunctualError } from '@punctual/core/errors'
import type { Caller } from '@punctual/core/identity'
import { asUnavailable } from '@punctual/store'
import type { Config } from '../../config/settings.ts'
import { version } from '../../config/version.ts'
import type { NodeLog } from '../output/log.ts'
import { CliError } from '../runtime/cli-error.ts'
import type { NodeState } from './node-state.ts'

export interface Listening {
  readonly url: string
  close(): Promise<void>
}

export async function listen(config: Config, state: NodeState, log: NodeLog): Promise<Listening> {
  const { host, port, trustProxy, httpRate: ratePerKey } = config
  const { health, ready, metrics, service, workers } = state
  const tls = readTls(config)
  const admission = admissionOf(config)
  const ports = { health, ready, metrics, service, workers }
  const app = createApp({
    ...ports,
    ...{ admission, trustProxy, ratePerKey, version, logger: log, explain: asUnavailable },
    ...tls,
  })
  try {
    await app.listen({ host, port })
  } catch (cause) {
    await app.close()
    throw explain(cause as NodeJS.ErrnoException, host, port)
  }
  const bound = (app.server.address() as AddressInfo).port
  const name = host.includes(':') ? `[${host}]` : host
  const scheme = 'tls' in tls ? 'https' : 'http'
  return { url: `${scheme}://${name}:${bound}`, close: () => app.close() }
}

const LOOPBACK = /^(127(?:\.\d+){3}|::1|localhost)$/

/** Without keys everybody may do everything: nobody else than this machine may ask. */
function admissionOf({ auth, host }: Config): Admission {
  if (auth) return {}
  if (!LOOPBACK.test(host))
    throw new PunctualError(
      'invalid_config',
      `Without keys Punctual listens on loopback only, not on ${host}. Leave out --no-auth and make a key with \`punctual api-keys create\`, or use --host 127.0.0.1.`,
    )
  return { everybody: EVERYBODY }
}

const EVERYBODY: Caller = {
  ...{ keyId: 'none', keyName: 'no-auth', tenantId: null, tenantName: null },
  ...{ tenantSuspended: false, scopes: ['system'] },
}

function readTls({ tlsCert, tlsKey }: Config) {
  if (tlsCert === null && tlsKey === null) return {}
  if (tlsCert === null || tlsKey === null)
    throw new PunctualError(
      'invalid_config',
      `--tls-cert and --tls-key go together. Give both, or neither.`,
    )
  const read = (path: string, flag: string) => {
    try {
      return readFileSync(path, 'utf8')
    } catch (cause) {
      throw new PunctualError(
        'invalid_config',
        `${flag} cannot be read: ${(cause as Error).message} Name a PEM file that this process may read.`,
        { cause },
      )
    }
  }
  return { tls: { cert: read(tlsCert, '--tls-cert'), key: read(tlsKey, '--tls-key') } }
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
