/** A worker of the campaign, with a connection to the database: it has a handler for each kind. */
import { Punctual } from 'punctual'
import { kinds } from '../workload.ts'
import { libraryOptions, readSettings, serveUntilStopped } from './child-settings.ts'
import { handleKinds } from './handle-kinds.ts'

const settings = readSettings()
const punctual = await Punctual.start({ ...libraryOptions(settings), roles: ['worker'] })
handleKinds(punctual.handler, kinds, settings)
serveUntilStopped(() => punctual.stop())
