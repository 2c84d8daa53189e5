/** The newest receipts, and a form that requests another one. */
import { connection } from 'next/server'
import { HANDLER, startPunctual } from '../punctual.js'
import { askForReceipt } from './ask-for-receipt.js'

export default async function Page() {
  await connection()
  const punctual = await startPunctual()
  const runs = await punctual.runs.list({ handler: HANDLER, limit: 20 })
  return (
    <main>
      <h1>Receipts</h1>
      <form action={askForReceipt}>
        <input name="order" placeholder="order" required />
        <button type="submit">Send a receipt</button>
      </form>
      <ul>
        {runs.map(({ id, state }) => (
          <li key={id}>{`${id} ${state}`}</li>
        ))}
      </ul>
    </main>
  )
}
