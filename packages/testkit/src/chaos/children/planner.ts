/** A process of the campaign that plans slots and takes runs back from workers that are gone. */
import { Punctual } from 'punctual'
import { libraryOptions, readSettings, serveUntilStopped } from '../plan/child-settings.ts'

const settings = readSettings()
const punctual = await Punctual.start({
  ...libraryOptions(settings),
  roles: ['planner', 'reaper', 'janitor', 'auditor'],
})
serveUntilStopped(() => punctual.stop())
