export { Janitor, type JanitorOptions } from './janitor.ts'
export { Promoter, type PromoterOptions } from './promoter.ts'
export { Reaper, type ReaperOptions } from './reaper.ts'
export { type Role, type RoleEvents, RoleLoop } from './role.ts'
