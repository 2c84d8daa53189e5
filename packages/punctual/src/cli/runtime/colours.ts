/** Colours are for people: only on a terminal, and not when they say that they want none. */
import picocolors from 'picocolors'

export type Colors = ReturnType<typeof picocolors.createColors>

export function colorsFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Colors {
  return picocolors.createColors(stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb')
}
