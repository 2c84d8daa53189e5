'use server'

/** The server action behind the page's form. */
import { refresh } from 'next/cache'
import { HANDLER, startPunctual } from '../punctual.js'

export async function askForReceipt(form) {
  const punctual = await startPunctual()
  const order = String(form.get('order'))
  await punctual.submit(HANDLER, { order }, { key: `receipt ${order}` })
  refresh()
}
