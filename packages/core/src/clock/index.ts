export type { Clock, Random } from './clock.ts'
export { restTogether } from './rest.ts'
