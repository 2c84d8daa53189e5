/**
 * `POST /api/receipts` with `{ "order": "17" }` answers at once; the receipt is sent afterwards.
 */
import { HANDLER, startPunctual } from '../../../punctual.js'

export async function POST(request) {
  const { order } = await request.json().catch(() => ({}))
  if (typeof order !== 'string')
    return Response.json({ error: 'order must be a string.' }, { status: 400 })
  const punctual = await startPunctual()
  // Pressing the button twice sends one receipt: while its run is live, both calls return its id.
  const { id } = await punctual.submit(HANDLER, { order }, { key: `receipt ${order}` })
  return Response.json({ id }, { status: 202 })
}
