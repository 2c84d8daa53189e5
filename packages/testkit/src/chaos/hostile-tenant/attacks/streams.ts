/** Streams of activity that are never read, more of them than a tenant may have. */
import { type ClientRequest, request } from 'node:http'
import type { Attack } from './attack.ts'
import type { Sender } from './sender.ts'

const STREAMS = 1_400
/** Streams that are opened anew by each turn. */
const REOPENED = 20
const OPEN_AT_ONCE = 20

const open = new Set<ClientRequest>()
/** The most streams that were open at the same time. */
export const streamFigures = { most: 0 }

function openOne(sender: Sender): Promise<void> {
  sender.sent++
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${sender.key('read')}` }
    const outgoing = request(`${sender.server()}/v1/activity`, { headers, signal: sender.ending })
    const end = () => {
      open.delete(outgoing)
      resolve()
    }
    outgoing.once('response', (answer) => {
      if (answer.statusCode !== 200) {
        answer.resume()
        return end()
      }
      answer.on('error', () => undefined)
      // Nothing is read from here on.
      open.add(outgoing)
      streamFigures.most = Math.max(streamFigures.most, open.size)
      resolve()
    })
    outgoing.on('error', end)
    outgoing.once('close', end)
    outgoing.end()
  })
}

export const streams: Attack = {
  name: 'streams',
  ...{ atOnce: 1, restMs: 100 },
  async strike(sender) {
    const [...all] = open
    if (all.length > STREAMS - OPEN_AT_ONCE)
      for (const stream of all.slice(0, REOPENED)) stream.destroy()
    await Promise.all(Array.from({ length: OPEN_AT_ONCE }, () => openOne(sender)))
  },
}
