/**
 * An image pipeline: `shrink` makes a smaller picture, and `publish` moves it to where it is
 * served. Each step is a separate run, so a failed step is retried without the steps before it.
 * Pictures are PPM files, which need no library.
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { NonRetryableError, Punctual, type Submitted } from 'punctual'
import { encode, parsePicture, shrinkTo } from './picture.ts'

const [from, to] = process.argv.slice(2)
if (from === undefined || to === undefined)
  throw new Error('usage: main.ts <source folder> <target folder>')
await mkdir(to, { recursive: true })
const WIDTHS = [64, 16]

const punctual = await Punctual.start()

const publish = punctual.handler('publish', async (payload: { draft: string; file: string }) => {
  await rename(payload.draft, payload.file).catch((error: NodeJS.ErrnoException) => {
    // An earlier attempt has already published it.
    if (error.code !== 'ENOENT') throw error
  })
  console.log(`published ${payload.file}`)
})

const shrink = punctual.handler('shrink', async (payload: { file: string; width: number }, ctx) => {
  const { name, base } = parse(payload.file)
  const picture = parsePicture(await readFile(payload.file))
  if (picture === null) throw new NonRetryableError(`${base} is not a picture`)
  const file = join(to, `${name}-${payload.width}.ppm`)
  await writeFile(`${file}.draft`, encode(shrinkTo(picture, payload.width)))
  // Every attempt uses the same key, so a second attempt does not publish again.
  return publish.submit({ draft: `${file}.draft`, file }, { key: `publish ${ctx.idempotencyKey}` })
})

const files = (await readdir(from)).filter((file) => file.endsWith('.ppm'))
const steps = files.flatMap((file) => WIDTHS.map((width) => ({ file: join(from, file), width })))
for (const submitted of await shrink.submitMany(steps)) {
  const run = await punctual.runs.waitFor(submitted)
  if (run.state === 'succeeded') await punctual.runs.waitFor(run.output as Submitted)
  else console.log(`failed: ${run.error?.message}`)
}
await punctual.stop()
