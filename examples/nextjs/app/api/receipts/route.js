/** `POST /api/receipts` with `{ "order": "17" }` answers at once; the receipt goes out behind it. */
import { HANDLER, startPunctual } from '../../../punctual.js'

export async function POST(request) {
  const { order } = await request.json().catch(() => ({}))
  if (typeof order !== 'string') return Response.json({ error: 'no order' }, { status: 400 })
  const punctual = await startPunctual()
  // Whoever presses the button twice gets one: while it waits or runs, its id is the answer.
  const { id } = await punctual.submit(HANDLER, { order }, { key: `receipt ${order}` })
  return Response.json({ id }, { status: 202 })
}
