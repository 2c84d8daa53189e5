/**
 * One process of one system. The bench sends commands over IPC and gets one answer to each; the
 * process exits with its parent. Arguments: the system's name, the environment as JSON.
 */
import { loadAdapter } from '../systems/adapter.mjs'
import { calling } from './calling.mjs'
import { computing } from './computing.mjs'
import { producing } from './producing.mjs'
import { reading } from './reading.mjs'
import { scheduling } from './scheduling.mjs'
import { serving } from './serving.mjs'
import { tracing } from './tracing.mjs'
import { working } from './working.mjs'

const [system, env] = [process.argv[2], JSON.parse(process.argv[3])]
const state = { adapter: await loadAdapter(system), env, client: undefined }

const commands = {
  prepare: () => state.adapter.prepare(env),
  open: async (role) => {
    state.client = await state.adapter.open(env, role)
  },
  close: () => state.client?.close(),
  cpu: () => cpuMs(),
  ...producing(state),
  ...working(state),
  ...scheduling(state),
  ...computing(state),
  ...reading(state),
  ...serving(state),
  ...tracing(),
  ...calling(state),
}

process.on('message', async ({ id, command, args }) => {
  try {
    process.send({ id, value: await commands[command](args) })
  } catch (error) {
    process.send({ id, error: error.stack ?? String(error) })
  }
})
process.on('unhandledRejection', (error) => {
  process.stderr.write(`${error?.stack ?? error}\n`)
  process.exit(1)
})
process.on('disconnect', () => process.exit(0))
process.on('SIGINT', () => {})
process.send({ ready: true })

function cpuMs() {
  const { user, system: kernel } = process.cpuUsage()
  return (user + kernel) / 1000
}
