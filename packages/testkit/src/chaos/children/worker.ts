/** A campaign worker with a database connection. */
import { Punctual } from 'punctual'
import { libraryOptions, readSettings, serveUntilStopped } from '../plan/child-settings.ts'
import { kindsOf } from '../plan/workload.ts'
import { handleKinds } from './handle-kinds.ts'

const settings = readSettings()
const punctual = await Punctual.start({ ...libraryOptions(settings), roles: ['worker'] })
handleKinds(punctual.handler, kindsOf('worker'), settings)
serveUntilStopped(() => punctual.stop())
