/** Whether somebody is still there to have the answer. */
import type { ServerResponse } from 'node:http'

/**
 * Aborted when the connection ends before the answer is sent: from then on nothing of it arrives. Its end is heard before
 * it closes, and Node sends nothing in between.
 */
export function goneOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const { socket } = response.req
  const end = () => {
    if (!response.writableEnded) gone.abort()
  }
  if (socket.destroyed || socket.readableEnded) end()
  socket.once('end', end)
  response.once('close', () => {
    socket.off('end', end)
    end()
  })
  return gone.signal
}
