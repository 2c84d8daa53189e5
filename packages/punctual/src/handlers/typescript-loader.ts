/**
 * Loaded before user modules written in TypeScript: from then on tsx compiles them. It registers
 * both module systems, because the package.json above a .ts file decides which one the file uses.
 */
import { register as registerCommonJs } from 'tsx/cjs/api'
import { register } from 'tsx/esm/api'

registerCommonJs()
register()
