/** `GET /api/receipts/<id>` returns the receipt's state. */
import { startPunctual } from '../../../../punctual.js'

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export async function GET(_request, { params }) {
  const { id } = await params
  const punctual = await startPunctual()
  const run = UUID.test(id) ? await punctual.runs.get(id) : null
  if (!run) return Response.json({ error: 'No run has this id.' }, { status: 404 })
  return Response.json({ state: run.state, output: run.output ?? null })
}
