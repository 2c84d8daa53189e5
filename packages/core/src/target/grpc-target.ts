/** A unary call of a gRPC service as the target of a run. */
import { refuseOption } from '../check/refuse-option.ts'
import { limits } from '../errors/limits.ts'
import { checkedBy, duration, integer, onOrOff, text } from '../option/kinds.ts'
import type { Kind, OptionTable } from '../option/option.ts'
import type { TargetKind } from './target-kind.ts'
import { jsonTemplate, templates } from './target-kinds.ts'

/** A unary call. Texts may have placeholders such as `{{payload.id}}`. */
export interface GrpcTarget {
  /** Calls a method of a gRPC service. */
  readonly kind: 'grpc'
  /** Host and port, such as `orders.example.com:443`. */
  readonly address: string
  /** The full name of the service, such as `shop.v1.Orders`. */
  readonly service: string
  /** The name of the method, which must be unary. */
  readonly method: string
  /** The request, in the JSON form of its message. @default the payload */
  readonly message?: unknown
  /** Metadata of the call. @default the facts of the run */
  readonly metadata?: Readonly<Record<string, string>>
  /** A `FileDescriptorSet` in base64. @default the server is asked by reflection */
  readonly descriptor?: string
  /** Whether the connection is encrypted. @default true */
  readonly tls?: boolean
  /** The name of the secret with the certificates to trust, in PEM. @default those of Node.js */
  readonly caSecret?: string
  /** The name of the secret with the client's certificate, in PEM. */
  readonly certSecret?: string
  /** The name of the secret with the key of the client's certificate, in PEM. */
  readonly keySecret?: string
  /** The deadline of the call. @default the timeout of the run */
  readonly deadlineMs?: number
  /** How long the connection may take. @default 10000 */
  readonly connectTimeoutMs?: number
  /** The largest response, in bytes. @default 262144 */
  readonly responseBytes?: number
}

function matching(pattern: RegExp, max: number, expected: string): Kind<string> {
  return checkedBy({ type: 'text', max }, (field, value) => {
    const given = text(max).check(field, value)
    return pattern.test(given) ? given : refuseOption(field, expected, value)
  })
}

const ADDRESS = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*)|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/
const address: Kind<string> = checkedBy({ type: 'text', max: 262 }, (field, value) => {
  const given = text(262).check(field, value)
  const port = Number(ADDRESS.exec(given)?.[1] ?? 0)
  if (port < 1 || port > 65_535)
    refuseOption(field, 'a host with its port, such as orders.example.com:443', value)
  return given
})

/** Names that gRPC or the worker sets itself. */
const RESERVED = /^(?:grpc-|:|(?:te|content-type|user-agent|idempotency-key)$|punctual-)/
const isMetadataName = (name: string) =>
  /^[0-9a-z_.-]{1,256}$/.test(name) && !RESERVED.test(name) && !name.endsWith('-bin')

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const secret = text(limits.nameLength)
const milliseconds = duration(1, limits.timeoutMsMax)

const members = {
  address: {
    kind: address,
    required: true,
    help: 'call a gRPC service at this host and port',
    guide: 'host and port of the server, such as `orders.example.com:443`',
    example: 'orders.example.com:443',
    flag: '--grpc <host:port>',
  },
  service: {
    kind: matching(/^[A-Za-z_][\w.]*$/, 255, 'a service such as shop.v1.Orders'),
    required: true,
    help: 'the full name of the service',
    flag: '--grpc-service <name>',
  },
  method: {
    kind: matching(/^[A-Za-z_]\w*$/, 255, 'a method such as Create'),
    required: true,
    help: 'the method, which must be unary',
    flag: '--grpc-method <name>',
  },
  message: {
    kind: jsonTemplate,
    defaultShown: 'the payload',
    help: 'the request, as JSON',
    flag: '--grpc-message <json>',
  },
  metadata: {
    kind: templates(isMetadataName, 'a name in lower case that gRPC and Punctual do not set'),
    help: 'metadata of the call',
    flag: '--grpc-metadata <name=value...>',
  },
  descriptor: {
    kind: matching(BASE64, limits.targetBytes, 'a FileDescriptorSet in base64'),
    defaultShown: 'asked from the server by reflection',
    help: 'a FileDescriptorSet in base64, as protoc writes it',
    flag: null,
  },
  tls: { kind: onOrOff, default: true, help: 'whether the connection is encrypted', flag: null },
  caSecret: {
    kind: secret,
    help: 'the secret with the certificates to trust',
    flag: '--grpc-ca-secret <name>',
  },
  certSecret: {
    kind: secret,
    help: "the secret with the client's certificate",
    flag: '--grpc-cert-secret <name>',
  },
  keySecret: {
    kind: secret,
    help: "the secret with the key of the client's certificate",
    flag: '--grpc-key-secret <name>',
  },
  deadlineMs: {
    kind: milliseconds,
    defaultShown: 'the timeout of the run',
    help: 'the deadline of the call',
    flag: '--grpc-deadline <time>',
  },
  connectTimeoutMs: {
    kind: milliseconds,
    default: 10_000,
    help: 'how long the connection may take',
    flag: '--grpc-connect-timeout <time>',
  },
  responseBytes: {
    kind: integer(0, limits.outputBytes),
    default: 262_144,
    help: 'the largest response, in bytes',
    flag: '--grpc-response-bytes <n>',
  },
} as const satisfies OptionTable

export const grpcTarget: TargetKind<GrpcTarget, typeof members> = {
  kind: 'grpc',
  help: 'calls a method of a gRPC service',
  members,
  check: (field, { certSecret, keySecret, tls = true, caSecret }) => {
    if ((certSecret === undefined) !== (keySecret === undefined))
      refuseOption(`${field}.keySecret`, 'given together with certSecret', keySecret)
    if (!tls && (caSecret ?? certSecret) !== undefined)
      refuseOption(`${field}.tls`, 'true when there are certificates', tls)
  },
}
