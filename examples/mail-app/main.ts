/**
 * A web app that sends mail: it answers the request at once, and the mail is sent even if this
 * process dies directly afterwards.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Punctual } from 'punctual'

const punctual = await Punctual.start()

const welcome = punctual.handler('welcome-mail', async (payload: { to: string }, ctx) => {
  // Stands in for a mail provider; pass it ctx.idempotencyKey, so that it does not send twice.
  console.log(`mail to ${payload.to} (attempt ${ctx.attempt})`)
  return { sentTo: payload.to }
})

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

/** `POST /sign-up` with an address as its body; `GET /mails/<id>` returns the state of the mail. */
async function answer(request: IncomingMessage): Promise<readonly [number, unknown]> {
  if (request.method === 'POST' && request.url === '/sign-up') {
    const to = (await textOf(request)).trim()
    if (!to.includes('@')) return [400, { error: 'The body must be a mail address.' }]
    // Pressing the button twice sends one mail.
    const { id } = await welcome.submit({ to }, { queue: 'mail', key: `welcome ${to}` })
    return [202, { id }]
  }
  const [, id] = /^\/mails\/([\w-]+)$/.exec(request.url ?? '') ?? []
  const run = id ? await punctual.runs.get(id) : null
  return run ? [200, { state: run.state }] : [404, { error: 'Not found.' }]
}

const server = createServer((request, response) => {
  answer(request)
    .catch((error: unknown) => [500, { error: String(error) }] as const)
    .then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
    .catch(console.error)
})
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    server.close()
    void punctual.stop()
  })
