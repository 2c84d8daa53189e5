/** A campaign process that plans slots and reclaims the runs of dead workers. */
import { Punctual } from 'punctual'
import { libraryOptions, readSettings, serveUntilStopped } from '../plan/child-settings.ts'

const settings = readSettings()
const punctual = await Punctual.start({
  ...libraryOptions(settings),
  roles: ['planner', 'reaper', 'janitor', 'auditor'],
})
serveUntilStopped(() => punctual.stop())
