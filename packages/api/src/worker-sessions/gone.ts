/** Whether the client is still connected to receive the answer. */
import type { ServerResponse } from 'node:http'

/**
 * Aborted when the connection ends before the answer is sent: nothing sent afterwards arrives. The
 * `end` event comes before `close`, and Node sends nothing in between.
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
