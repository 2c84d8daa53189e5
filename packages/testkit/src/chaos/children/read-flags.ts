/**
 * A campaign process that reads, through the public library, which runs are flagged as possible
 * duplicates, and sends the answer to its parent.
 */
import { Punctual } from 'punctual'
import { libraryOptions, readSettings } from '../plan/child-settings.ts'

const AT_ONCE = 100

const punctual = await Punctual.start({ ...libraryOptions(readSettings()), roles: [] })
const flagged: string[] = []
const client = await punctual.store.database.connect()
const { rows } = await client.query<{ id: string }>('select id from punctual.runs')
await client.end()
for (let from = 0; from < rows.length; from += AT_ONCE) {
  const page = rows.slice(from, from + AT_ONCE)
  const found = await Promise.all(page.map(({ id }) => punctual.runs.get(id)))
  for (const run of found) if (run?.possibleDuplicate) flagged.push(run.id)
}
await punctual.stop()
process.send?.({ flagged }, () => process.disconnect())
