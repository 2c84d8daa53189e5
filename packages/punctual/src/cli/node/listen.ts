/** Starts the HTTP app on an address, and explains failures in terms of flags. */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { type Admission, createApp, OpenStreams } from '@punctual/api'
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
  const { host, port, trustProxy, httpRate: ratePerKey, tenantHttpRate: ratePerTenant } = config
  const { metricsToken, tenantStreams: streamsPerTenant, tenantWaits: waitsPerTenant } = config
  const { health, ready, metrics, service, workers } = state
  const tls = readTls(config)
  const admission = admissionOf(config)
  const ports = { health, ready, metrics, service, workers }
  const app = createApp({
    ...ports,
    ...{ admission, trustProxy, ratePerKey, version, logger: log, explain: asUnavailable },
    ...{ ratePerTenant, waitsPerTenant, streams: new OpenStreams({ streamsPerTenant }) },
    ...tls,
    ...(metricsToken !== null && { metricsToken }),
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

/** Without authentication every caller may do everything, so only this machine may connect. */
function admissionOf({ auth, host }: Config): Admission {
  if (auth) return {}
  if (!LOOPBACK.test(host))
    throw new PunctualError(
      'invalid_config',
      `--no-auth works on a loopback address only; got --host ${host}. Remove --no-auth and create a key with \`punctual api-keys create\`, or use --host 127.0.0.1.`,
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
    throw new PunctualError('invalid_config', `--tls-cert and --tls-key must be given together.`)
  const read = (path: string, flag: string) => {
    try {
      return readFileSync(path, 'utf8')
    } catch (cause) {
      throw new PunctualError(
        'invalid_config',
        `${flag} cannot be read: ${(cause as Error).message} Give a PEM file that this process can read.`,
        { cause },
      )
    }
  }
  return { tls: { cert: read(tlsCert, '--tls-cert'), key: read(tlsKey, '--tls-key') } }
}

function explain(cause: NodeJS.ErrnoException, host: string, port: number): unknown {
  if (cause.code === 'EADDRINUSE')
    return new CliError('port_in_use', `Port ${port} on ${host} is in use by another program.`, {
      hint: `Choose another port with --port ${port + 1} (or PUNCTUAL_PORT), or any free one with --port 0.`,
      cause,
    })
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EACCES', 'EAI_AGAIN'].includes(cause.code ?? ''))
    return new CliError('address_unusable', `Cannot listen on ${host}:${port}: ${cause.message}.`, {
      hint: 'Check --host and --port; ports below 1024 need root privileges.',
      cause,
    })
  return cause
}
