/** Colours appear only on a terminal, and only when neither NO_COLOR nor TERM=dumb forbids them. */
import picocolors from 'picocolors'

export type Colors = ReturnType<typeof picocolors.createColors>

export function colorsFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Colors {
  return picocolors.createColors(stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb')
}
