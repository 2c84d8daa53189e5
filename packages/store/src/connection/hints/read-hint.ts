/**
 * Reads the payload of a hint. Any role of the database may send a NOTIFY on any channel, so a
 * payload is input: it is checked against the few forms that this version sends, its length and its
 * lists are bounded, and anything else is null.
 */
/** The longest payload of PostgreSQL. */
const LENGTH_MAX = 8_000
const NODE_LENGTH_MAX = 128
/** More than any node sends in one hint. */
const MEMBERS_MAX = 400

const NOTHING = { lanes: [], newLane: false }
const LANE = /^\d{1,9}$/
const GATE = /^-?\d{1,19}$/
const SESSION = /^\d{1,19}$/
const RUN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface Hint {
  /** The lanes with something due; null if it may be any lane. */
  readonly lanes: readonly number[] | null
  /** A new lane exists that workers may not know. */
  readonly newLane: boolean
  /** Runs with a cancel request. */
  readonly cancels?: readonly string[]
  /** Workers that are to drain, or to take work again. */
  readonly sessions?: readonly string[]
  /** Gates with places that a caller's transaction freed. */
  readonly gates?: readonly bigint[]
  /** Jobs were created or changed. */
  readonly jobs?: boolean
  /** Groups were created, extended or closed. */
  readonly groups?: boolean
  /** A session with a short lease was opened. */
  readonly leases?: boolean
  /** Tenants or API keys changed: cached answers about them must be read again. */
  readonly identity?: boolean
}

export interface ReceivedHint {
  /** Who sent it; `-` for a transaction of a caller. */
  readonly node: string
  readonly hint: Hint
}

/** Returns null for a payload that no version of Punctual sends. */
export function readHint(payload: string): ReceivedHint | null {
  if (payload.length > LENGTH_MAX) return null
  const [node = '', kind = '', list = '', gates = '', ...rest] = payload.split(' ')
  if (node === '' || node.length > NODE_LENGTH_MAX || rest.length > 0) return null
  const hint = hintOf(kind, list, gates)
  return hint && { node, hint }
}

function hintOf(kind: string, list: string, gates: string): Hint | null {
  switch (kind) {
    case 'jobs':
      return { ...NOTHING, jobs: true }
    case 'groups':
      return { ...NOTHING, groups: true }
    case 'leases':
      return { ...NOTHING, leases: true }
    case 'identity':
      return { ...NOTHING, identity: true }
    case 'cancel': {
      const cancels = membersOf(list, RUN)
      return cancels && { ...NOTHING, cancels }
    }
    case 'sessions': {
      const sessions = membersOf(list, SESSION)
      return sessions && { ...NOTHING, sessions }
    }
    case 'due':
    case 'new': {
      const lanes = list === '*' ? null : membersOf(list, LANE)
      const freed = membersOf(gates, GATE)
      if (freed === null || (lanes === null && list !== '*')) return null
      return {
        lanes: lanes === null ? null : lanes.map(Number),
        newLane: kind === 'new',
        // A number that is no bigint of PostgreSQL is that of no gate.
        ...(freed.length > 0 && { gates: freed.map((gate) => BigInt.asIntN(64, BigInt(gate))) }),
      }
    }
    default:
      return null
  }
}

/** Null when a member has another form, or there are too many. */
function membersOf(list: string, form: RegExp): string[] | null {
  if (list === '') return []
  const members = list.split(',')
  return members.length <= MEMBERS_MAX && members.every((member) => form.test(member))
    ? members
    : null
}
