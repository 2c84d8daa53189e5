/** An isolated handler in TypeScript. */
import type { HandlerContext } from 'punctual'

const sizes = { Small: 1, Large: 2 } as const

export default (payload: { name: keyof typeof sizes }, ctx: HandlerContext): string =>
  `${ctx.handler} ${sizes[payload.name]}`
